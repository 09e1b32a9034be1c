#include "server/bounds/connection_timeouts.h"

namespace holdfast::server {

std::string_view ConnectionTimeouts::judge(const Seen& seen, const ServerLimits& limits, Time now) {
  if (seen.messages != messages_ || seen.busy) heard_ = now;
  const bool same_message = seen.messages == messages_ && unfinished_ > 0 && seen.unfinished > 0;
  if (!same_message || seen.unfinished >= unfinished_ + kStepBytes) {
    went_on_ = now;
    unfinished_ = seen.unfinished;
  }
  if (seen.taken != taken_ || !seen.behind) moved_ = now;
  messages_ = seen.messages;
  taken_ = seen.taken;
  if (messages_ == 0 && now - made_ >= limits.greeting_timeout) return "it has sent no message";
  if (!seen.authenticated && seen.unfinished > kUnauthenticatedBytes)
    return "it sends a large message before it has shown a token";
  if (now - went_on_ >= limits.stall_timeout) return "it has stopped inside a message";
  if (now - moved_ >= limits.stall_timeout) return "it does not read what is sent to it";
  const bool may_idle = limits.idle_timeout == std::chrono::milliseconds(0);
  if (!may_idle && now - heard_ >= limits.idle_timeout) return "it is idle";
  return {};
}

}  // namespace holdfast::server
