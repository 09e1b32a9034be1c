#include "server/http/body_room.h"

#include <string>

namespace holdfast::server {
namespace {

tl::unexpected<Error> no_room(std::size_t limit) {
  return fail(ErrorCode::kOverloaded,
              "the bodies of requests that are under way have reached their limit of " +
                  std::to_string(limit) + " bytes");
}

}  // namespace

Result<BodyRoom> BodyRoom::take(State& state, const Parser& parser, std::size_t most) {
  const auto said = parser.content_length();
  if (said && *said > most)
    return fail(ErrorCode::kLimitExceeded, "the body has more than " + std::to_string(most) + " bytes");
  const bool has_body = said || parser.chunked();
  const std::size_t bytes = said ? static_cast<std::size_t>(*said) : has_body ? kUnsaid : 0;
  const std::size_t limit = state.options.limits.max_total_send_bytes;
  if (state.all.http_body_bytes + bytes > limit) return no_room(limit);
  return BodyRoom(state, bytes);
}

Result<void> BodyRoom::hold(std::size_t bytes) {
  const std::size_t limit = state_->options.limits.max_total_send_bytes;
  const std::size_t more = bytes - held_;
  if (state_->all.http_body_bytes.fetch_add(more) + more > limit) {
    state_->all.http_body_bytes -= more;
    return no_room(limit);
  }
  held_ = bytes;
  return {};
}

}  // namespace holdfast::server
