// Sends one message, in the step that the verb and a transaction share. It is defined in messages/send.cc.
#pragma once

#include <cstddef>

#include "engine/engine/engine_impl.h"
#include "engine/queue/send_lookup.h"

namespace holdfast {

// Sends the message, which is the i-th of the lookup, and returns its id. The queue admits the message and
// has room for it, and the lookup has found that it is new.
MessageId apply_send(Engine::Impl& engine, Queue& queue, const SendLookup& lookup, std::size_t i,
                     const Message& message, Timestamp time) HOLDFAST_REQUIRES(queue.mutex);

}  // namespace holdfast
