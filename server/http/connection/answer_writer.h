// Sends the answers of an HTTP connection.
#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "server/clients/state.h"
#include "server/http/connection/connection_timer.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Sends one answer at a time, whole or in parts. An answer counts as unread until the operating system has
// it, and its client has ServerLimits::stall_timeout to take some of it. Only the loop's thread uses it.
//
// `done` of the functions that send must keep this object alive. It is called without an error when the
// operating system has the whole answer, and otherwise with why the connection must end: then stop() must be
// called. While a part is awaited, only stop() lets go of a `done` that is not called.
template <class Stream>
class AnswerWriter {
 public:
  // The state, the stream and the timer must outlive the writer. Nothing else may use the timer while an
  // answer is sent.
  AnswerWriter(State& state, Stream& stream, ConnectionTimer& timer)
      : state_(state), stream_(stream), timer_(timer), unread_(state.all.unread_answers) {}

  // Sends an answer as a whole. `deliveries` is what the answer delivers, or null if it delivers nothing.
  template <class Done>
  void send(HttpResponse response, kj::Own<UnsentDeliveries> deliveries, Done done) {
    response_ = std::move(response);
    deliveries_ = kj::mv(deliveries);
    unread_.hold(response_.body().size(), now());
    serializer_.emplace(response_);
    begin_stall(done);
    send_response(std::move(done));
  }

  // Sends an answer whose body begins with that of `head` and goes on with `rest`. Nothing marks the end of
  // the body: it is the end of the connection.
  template <class Done>
  void send_in_parts(HttpResponse head, kj::Own<BodySource> rest, Done done) {
    rest_ = kj::mv(rest);
    std::ostringstream text;
    text << head.base();
    head_bytes_ = text.str().size();
    send_part(text.str() + head.body(), std::move(done));
  }

  // Returns whether the answer is one in parts.
  bool is_in_parts() const { return rest_.get() != nullptr; }

  // Returns a promise that is fulfilled when the operating system has the answer, or the part of it, that is
  // sent now or next. It is rejected by stop().
  kj::Promise<void> drained() {
    auto sent = kj::newPromiseAndFulfiller<void>();
    waiting_.push_back(kj::mv(sent.fulfiller));
    return kj::mv(sent.promise);
  }

  // Returns the room of the answer, or of the part of it, that is being sent.
  UnreadAnswers::Room& room() { return unread_; }

  // Gives up the answer that is being sent, since the connection is over. No `done` is called any more.
  void stop() {
    is_stopped_ = true;
    if (is_in_parts() && !part_.empty()) rest_->cut_off(sent_ - std::min(sent_, head_bytes_));
    next_ = nullptr;
    rest_ = nullptr;
    deliveries_ = nullptr;
    unread_.release();
    for (auto& waiter : std::exchange(waiting_, {}))
      waiter->reject(KJ_EXCEPTION(DISCONNECTED, "the client has gone"));
  }

 private:
  static UnreadAnswers::Time now() { return std::chrono::steady_clock::now(); }

  // The limit may change while the connection is open.
  std::chrono::milliseconds stall_timeout() const { return state_.options.limits.stall_timeout; }

  template <class Done>
  static auto too_late(Done done) {
    return [done = std::move(done)] { done(boost::asio::error::timed_out); };
  }
  template <class Done>
  void begin_stall(Done done) {
    timer_.begin_stall(stall_timeout(), too_late(std::move(done)));
  }
  template <class Done>
  void moved(std::size_t bytes, Done done) {
    unread_.moved(now());
    timer_.go_on(bytes, stall_timeout(), too_late(std::move(done)));
  }

  template <class Done>
  void send_response(Done done) {
    auto on_sent = [this, done = std::move(done)](const boost::beast::error_code& error, std::size_t bytes) {
      if (is_stopped_) return;
      if (error) return done(error);
      if (!serializer_->is_done()) {
        moved(bytes, done);
        return send_response(done);
      }
      if (deliveries_.get() != nullptr) deliveries_->sent();
      said();
      done({});
    };
    boost::beast::http::async_write_some(stream_, *serializer_, std::move(on_sent));
  }

  template <class Done>
  void send_part(std::string part, Done done) {
    sent_ = 0;
    part_ = std::move(part);
    unread_.hold(part_.size(), now());
    begin_stall(done);
    send_rest_of_part(std::move(done));
  }

  template <class Done>
  void send_rest_of_part(Done done) {
    if (sent_ == part_.size()) return await_part(std::move(done));
    auto on_sent = [this, done = std::move(done)](const boost::beast::error_code& error, std::size_t bytes) {
      if (is_stopped_) return;
      if (error) return done(error);
      sent_ += bytes;
      moved(bytes, done);
      send_rest_of_part(done);
    };
    stream_.async_write_some(boost::asio::buffer(part_) + sent_, std::move(on_sent));
  }

  // The client need not take anything until there is a part.
  template <class Done>
  void await_part(Done done) {
    said();
    head_bytes_ = 0;
    timer_.stop();
    next_ = rest_->next()
                .then([this, done](std::string part) {
                  if (!part.empty()) return send_part(std::move(part), done);
                  end_of_parts(done);
                })
                .eagerlyEvaluate([this, done](kj::Exception&&) { end_of_parts(done); });
  }

  // `done` may end the connection, which drops the promise that this is called by.
  template <class Done>
  void end_of_parts(Done done) {
    boost::asio::post(stream_.get_executor(), [this, done = std::move(done)] {
      if (!is_stopped_) done({});
    });
  }

  void said() {
    serializer_.reset();
    response_ = {};
    part_ = {};
    deliveries_ = nullptr;
    unread_.release();
    for (auto& waiter : std::exchange(waiting_, {})) waiter->fulfill();
  }

  State& state_;
  Stream& stream_;
  ConnectionTimer& timer_;
  UnreadAnswers::Room unread_;
  HttpResponse response_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>>
      serializer_;                        // of `response_`
  kj::Own<UnsentDeliveries> deliveries_;  // what `response_` delivers
  kj::Own<BodySource> rest_;
  std::string part_;  // the part of the answer that is being sent; empty if none is
  std::size_t sent_ = 0;
  std::size_t head_bytes_ = 0;  // of `part_`, which begins with the head if it is the first
  bool is_stopped_ = false;
  std::vector<kj::Own<kj::PromiseFulfiller<void>>> waiting_;
  kj::Promise<void> next_ = nullptr;
};

}  // namespace holdfast::server
