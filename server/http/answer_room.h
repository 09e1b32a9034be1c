// Memory for answers that clients have not read yet.
#pragma once

#include <cstddef>
#include <utility>

#include "server/clients/state.h"

namespace holdfast::server {

// What one connection has to send is counted for as long as this holds it, against
// ServerLimits::max_total_send_bytes of all connections: see Peer::admit_reply.
class AnswerRoom {
 public:
  // `state` must outlive it.
  explicit AnswerRoom(State& state) : state_(state) {}
  ~AnswerRoom() { release(); }
  AnswerRoom(const AnswerRoom&) = delete;
  AnswerRoom& operator=(const AnswerRoom&) = delete;

  // Says that so many bytes are to be sent. They replace the bytes that were held before.
  void hold(std::size_t bytes) {
    release();
    state_.all.http_answer_bytes += bytes;
    held_ = bytes;
  }
  void release() { state_.all.http_answer_bytes -= std::exchange(held_, 0); }

 private:
  State& state_;
  std::size_t held_ = 0;
};

}  // namespace holdfast::server
