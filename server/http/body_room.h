// Memory for the bodies of requests, while they come.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <utility>

#include "holdfast/error.h"
#include "server/clients/state.h"

namespace holdfast::server {

// Counted for as long as it lives, against ServerLimits::max_total_send_bytes of all connections.
class BodyRoom {
 public:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  // What a body of the API may have: a full batch in base64, and what describes it.
  static constexpr std::size_t kMost = limits::kBatchBytes / 3 * 4 + (4 << 20);
  // One that does not say how long it is.
  static constexpr std::size_t kUnsaid = 1 << 20;

  // Of a request whose header is read, and whose body may have `most`. kLimitExceeded, kOverloaded.
  static Result<BodyRoom> take(State& state, const Parser& parser, std::size_t most);

  BodyRoom(BodyRoom&& other) noexcept : state_(other.state_), bytes_(std::exchange(other.bytes_, 0)) {}
  BodyRoom& operator=(BodyRoom&&) = delete;
  ~BodyRoom() { state_->all.http_body_bytes -= bytes_; }

  // As many may come.
  std::size_t bytes() const { return bytes_; }

 private:
  BodyRoom(State& state, std::size_t bytes) : state_(&state), bytes_(bytes) {}

  State* state_;
  std::size_t bytes_;
};

}  // namespace holdfast::server
