// start_request() makes a call with a callback that may carry a request id.
#pragma once

#include <functional>
#include <string>

#include "engine/context/context.h"

namespace holdfast {

// Makes a call with a callback once the call holds its request id. It is made on this thread if it gets the
// id at once, needs no look for an earlier answer on disk, and does not block by itself (`may_block`).
// Otherwise it is made on the background thread. No thread waits: a call whose id is held stands in line. A
// call that can be refused at once is refused on this thread.
using RequestCall = std::function<void(Result<HeldRequest>)>;
void start_request(EngineContext& engine, const std::string& id, bool may_block, RequestCall call);

}  // namespace holdfast
