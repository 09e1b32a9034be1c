// What the log says about single calls.
#pragma once

#include "server/clients/peer.h"

namespace holdfast::server {

// A line of which the client can cause as many as it likes: some are held back.
void log_limited(State& state, spdlog::level::level_enum level, LogLine line);

// Counts an answer that concerns a whole call, and logs it: what was refused as a warning, what failed inside
// as an error, what the client asked for wrongly for debugging.
void note_error(Peer& peer, const LoggedCall& call, const Error& error);

// One call, from its arrival to its answer: measured, and in the log if it took longer than
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
