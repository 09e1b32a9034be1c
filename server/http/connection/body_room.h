// BodyRoom is the memory for the bodies of requests while they arrive.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <utility>

#include "holdfast/error.h"
#include "server/clients/state.h"

namespace holdfast::server {

// What has arrived of a body counts for as long as this object lives, against
// ServerLimits::max_total_send_bytes of all connections. Bytes that are announced and do not arrive take no
// room: a client without a token could announce them on many connections, and keep all others out.
class BodyRoom {
 public:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  // kMost is the most bytes of a body of the API: a full batch in base64, and what describes it.
  static constexpr std::size_t kMost = 90 << 20;
  static_assert(kMost >= limits::kBatchBytes / 3 * 4 + (4 << 20));
  // kUnsaid is the most bytes of a body that does not say how long it is.
  static constexpr std::size_t kUnsaid = 1 << 20;

  // Begins to count for a request whose header was read, and whose body may have `most` bytes. A stranger is
  // a client that can show only with its body who it is: all strangers together get half of the room, so they
  // shut out nobody who is known. kLimitExceeded if the body is longer; kOverloaded if there is no room for
  // it now.
  static Result<BodyRoom> take(State& state, const Parser& parser, std::size_t most, bool is_stranger);

  BodyRoom(BodyRoom&& other) noexcept
      : state_(other.state_),
        most_(other.most_),
        is_stranger_(other.is_stranger_),
        held_(std::exchange(other.held_, 0)) {}
  BodyRoom& operator=(BodyRoom&&) = delete;
  ~BodyRoom();

  // Returns the most bytes that may arrive.
  std::size_t most() const { return most_; }
  // Says that `bytes` have arrived in all. kOverloaded if there is no room for them any more.
  Result<void> hold(std::size_t bytes);

 private:
  BodyRoom(State& state, std::size_t most, bool is_stranger)
      : state_(&state), most_(most), is_stranger_(is_stranger) {}
  std::size_t limit() const;
  std::size_t limit_of_strangers() const;

  State* state_;
  std::size_t most_;
  bool is_stranger_;
  std::size_t held_ = 0;
};

}  // namespace holdfast::server
