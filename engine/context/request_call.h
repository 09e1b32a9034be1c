// A call with a callback that may carry a request id.
#pragma once

#include <functional>
#include <string>

#include "engine/context/context.h"

namespace holdfast {

// Makes a call with a callback once it holds its request id. It is made on this thread if it does so now,
// nothing earlier needs to be looked for on disk and the call does not block by itself; else on the
// background thread. Nobody waits: a call whose id is held stands in line. What can be refused at once is
// refused on this thread.
using RequestCall = std::function<void(Result<HeldRequest>)>;
void start_request(EngineContext& engine, const std::string& id, bool may_block, RequestCall call);

}  // namespace holdfast
