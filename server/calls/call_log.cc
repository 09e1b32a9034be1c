#include "server/calls/call_log.h"

#include "engine/base/helpers/utf8.h"
#include "server/calls/methods.h"

namespace holdfast::server {
namespace {

struct Judged {
  std::string_view event;
  spdlog::level::level_enum level;
};

Judged judge(ErrorCode code) {
  switch (code) {
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kOverloaded:
      return {"call refused", spdlog::level::warn};
    case ErrorCode::kInternal:
    case ErrorCode::kStorageFailed:
    case ErrorCode::kCorruption:
    case ErrorCode::kDiskFull:
      return {"call failed", spdlog::level::err};
    default:
      return {"call failed", spdlog::level::debug};
  }
}

bool takes_long(std::uint16_t method) {
  const Method* known = find_method(method);
  return known != nullptr && known->traits.takes_long;
}

}  // namespace

std::string_view for_log(std::string_view text) {
  constexpr std::size_t kMostBytes = 1 << 10;
  return start_of_text(text, kMostBytes);
}

void log_limited(State& state, spdlog::level::level_enum level, LogLine line) {
  if (!state.log.should_log(level) || !state.log_limit.admit(std::chrono::steady_clock::now())) return;
  if (const auto missing = state.log_limit.held_back(); missing > 0) line.add("held_back", missing);
  state.log.log(level, line.text());
}

void note_error(Peer& peer, const LoggedCall& call, const Error& error) {
  peer.state().meter.count_error(error.code);
  const auto [event, level] = judge(error.code);
  if (!peer.state().log.should_log(level)) return;
  LogLine line = peer.line(event, call);
  line.add("error", error_info(error.code).name).add("message", for_log(error.message));
  log_limited(peer.state(), level, std::move(line));
}

CallInFlight::~CallInFlight() {
  const auto limit = peer_->state().options.slow_call;
  if (limit.count() == 0 || takes_long(call_.method)) return;
  const auto took = timed_.elapsed();
  if (took < limit) return;
  LogLine line = peer_->line("slow call", call_);
  line.add("ms", static_cast<std::uint64_t>(took / std::chrono::milliseconds(1)));
  log_limited(peer_->state(), spdlog::level::warn, std::move(line));
}

}  // namespace holdfast::server
