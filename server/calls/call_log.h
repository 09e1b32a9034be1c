// Writes single calls to the log.
#pragma once

#include <string_view>

#include "server/clients/peer.h"

namespace holdfast::server {

// Returns the beginning of a text that a client may have made as long as it likes: as much as the log gets.
std::string_view for_log(std::string_view text);

// Writes a line that a client can cause as often as it likes. Past a limit, lines are held back.
void log_limited(State& state, spdlog::level::level_enum level, LogLine line);

// Counts an error that answers a whole call, and logs it: a refusal as a warning, a failure inside the server
// as an error, a mistake of the client as a line for debugging.
void note_error(Peer& peer, const LoggedCall& call, const Error& error);

// A call from its arrival to its answer. It is measured, and the log has a line if it took longer than
// ServerOptions::slow_call.
class CallInFlight {
 public:
  CallInFlight(std::shared_ptr<Peer> peer, const LoggedCall& call)
      : peer_(std::move(peer)), call_(call), timed_(peer_->state().meter, call.method) {}
  ~CallInFlight();
  CallInFlight(const CallInFlight&) = delete;
  CallInFlight& operator=(const CallInFlight&) = delete;

 private:
  const std::shared_ptr<Peer> peer_;
  const LoggedCall call_;
  const Meter::Timed timed_;
};

}  // namespace holdfast::server
