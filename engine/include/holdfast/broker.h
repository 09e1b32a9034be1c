// This header declares Broker, the interface that an engine in this process (engine.h) and a server elsewhere
// (client.h) share. Both are used in the same way.
#pragma once

#include <functional>

#include "holdfast/dead_letter_verbs.h"
#include "holdfast/message_verbs.h"
#include "holdfast/operation_verbs.h"
#include "holdfast/queue_verbs.h"

namespace holdfast {

// Broker has all verbs, by concern. Code that needs one concern alone can take that interface instead.
//
// Every call is thread-safe, blocks until its effect is as durable as asked, and throws nothing.
//
// An error means that the call had no effect, unless the verb says otherwise. With three codes the effect may
// have happened: kOutcomeUnknown; kStorageFailed, of the calls that are in flight when a write fails; and
// kInternal, which is a defect. Where a verb does not list its errors, and beside those that it lists, every
// call can answer kClosed, kStorageFailed and kCorruption; kInvalidArgument for an argument that makes no
// sense, and kLimitExceeded for one past a limit (limits.h); a call that names a queue also kQueueNotFound; a
// client's call also kUnavailable, kOutcomeUnknown, kOverloaded and kPermissionDenied.
//
// Every batch call gives a BatchResult, which answers for each entry, in the order of the entries: one bad
// entry does not spoil the others. An entry's error is for what concerns that entry: a message that is past a
// limit, a delivery that is over. The outer error is for what concerns the whole call: no such queue to send
// to, too many entries, bad options, a request id that another call has used, a commit that failed, no answer
// of the server. No entry had an effect then, but for the three codes above. The good entries of a batch are
// not atomic together: after a crash some may have had their effect and others not.
//
// Request ids. A send, ack, reject or redrive (a park is one, too) and a transaction (Engine::commit) may
// carry a request id: any text of 1..limits::kRequestIdBytes bytes that names this one call among all calls
// of all callers, such as a random one. A server with access control keeps the ids of each token's name
// apart: there it names the call among those of its token alone. When the outcome of the call is unknown, the
// caller repeats it with the same id and the same arguments:
//   - What had an effect has it once. The repetition waits for the first call if that is under way, changes
//     nothing, and gives the first call's answer again, with the same message ids. After a restart or a crash
//     that holds too, as long as the effect itself survived. A batch that was cut short is completed.
//   - The id is remembered for limits::kRequestWindow, and up to about twice that. Time in which no engine is
//     open does not count; of time for which the engine's process stands still, ten seconds count at most.
//   - With other arguments the repetition gives kInvalidArgument. A call that failed as a whole may be tried
//     again under the same id.
class Broker : public QueueVerbs, public MessageVerbs, public DeadLetterVerbs, public OperationVerbs {};

// The form of a verb with a callback calls a function of one of these types with what the verb itself gives.
template <class T>
using Callback = std::function<void(Result<T>)>;
template <class T>
using BatchCallback = std::function<void(BatchResult<T>)>;

}  // namespace holdfast

// HOLDFAST_VERBS lists each verb by name, in four lists by concern. The overrides of Engine and Client and
// the calls of ClientVerbs are made of these lists (holdfast/detail/verbs.h). A verb that its interface
// declares and its list lacks leaves Engine and Client abstract, and they do not compile.
#define HOLDFAST_VERBS(FORM)       \
  HOLDFAST_QUEUE_VERBS(FORM)       \
  HOLDFAST_MESSAGE_VERBS(FORM)     \
  HOLDFAST_DEAD_LETTER_VERBS(FORM) \
  HOLDFAST_OPERATION_VERBS(FORM)
