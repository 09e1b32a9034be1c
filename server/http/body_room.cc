#include "server/http/body_room.h"

#include <string>

namespace holdfast::server {

Result<BodyRoom> BodyRoom::take(State& state, const Parser& parser, std::size_t most) {
  const auto said = parser.content_length();
  if (said && *said > most)
    return fail(ErrorCode::kLimitExceeded, "the body has more than " + std::to_string(most) + " bytes");
  const bool has_body = said || parser.chunked();
  const std::size_t bytes = said ? static_cast<std::size_t>(*said) : has_body ? kUnsaid : 0;
  const std::size_t limit = state.options.limits.max_total_send_bytes;
  if (state.all.http_body_bytes.fetch_add(bytes) + bytes <= limit) return BodyRoom(state, bytes);
  state.all.http_body_bytes -= bytes;
  return fail(ErrorCode::kOverloaded,
              "the bodies of requests that are under way have reached their limit of " +
                  std::to_string(limit) + " bytes");
}

}  // namespace holdfast::server
