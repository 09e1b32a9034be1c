#include "server/http/connection/body_room.h"

#include <algorithm>
#include <atomic>
#include <string>

namespace holdfast::server {
namespace {

tl::unexpected<Error> no_room(std::size_t limit) {
  return fail(ErrorCode::kOverloaded,
              "the bodies of requests that are under way have reached their limit of " +
                  std::to_string(limit) + " bytes");
}

// Adds to the sum unless it would pass its limit.
bool add(std::atomic<std::size_t>& sum, std::size_t more, std::size_t limit) {
  if (sum.fetch_add(more) + more <= limit) return true;
  sum -= more;
  return false;
}

}  // namespace

Result<BodyRoom> BodyRoom::take(State& state, const Parser& parser, std::size_t most, bool is_stranger) {
  const auto said = parser.content_length();
  if (said && *said > most)
    return fail(ErrorCode::kLimitExceeded, "the body has more than " + std::to_string(most) + " bytes");
  const bool has_body = said || parser.chunked();
  const std::size_t bytes = said ? static_cast<std::size_t>(*said) : has_body ? kUnsaid : 0;
  BodyRoom room(state, bytes, is_stranger);
  if (state.all.http_body_bytes + bytes > room.limit()) return no_room(room.limit());
  if (is_stranger && state.all.stranger_body_bytes + bytes > room.limit_of_strangers())
    return no_room(room.limit_of_strangers());
  return room;
}

BodyRoom::~BodyRoom() {
  state_->all.http_body_bytes -= held_;
  if (is_stranger_) state_->all.stranger_body_bytes -= held_;
}

std::size_t BodyRoom::limit() const { return state_->options.limits.max_total_send_bytes; }

std::size_t BodyRoom::limit_of_strangers() const { return std::min(limit(), std::max(limit() / 2, most_)); }

Result<void> BodyRoom::hold(std::size_t bytes) {
  const std::size_t more = bytes - held_;
  if (is_stranger_ && !add(state_->all.stranger_body_bytes, more, limit_of_strangers()))
    return no_room(limit_of_strangers());
  if (!add(state_->all.http_body_bytes, more, limit())) {
    if (is_stranger_) state_->all.stranger_body_bytes -= more;
    return no_room(limit());
  }
  held_ = bytes;
  return {};
}

}  // namespace holdfast::server
