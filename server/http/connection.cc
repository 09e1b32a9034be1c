#include "server/http/connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <optional>
#include <utility>

#include "schema/transport/tune.h"
#include "server/bounds/seat_loss.h"
#include "server/calls/call_log.h"
#include "server/http/answers.h"
#include "server/http/connection/answer_writer.h"
#include "server/http/connection/body_room.h"
#include "server/http/connection/connection_timer.h"
#include "server/http/connection/framing.h"
#include "server/http/connection/hang_up_watch.h"
#include "server/http/door.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;

// A connection may stay this long without a request, so that clients can keep one.
constexpr auto kKeepAlive = std::chrono::seconds(75);
// A client that is still sending when it is refused has this long to read why.
constexpr auto kLingerRefused = std::chrono::seconds(2);
// The most bytes of an answer that the kernel takes before the client has room for them. With more, whole
// seconds would pass between two writes to a client that reads slowly, as they do where it does not read.
constexpr int kUnsentBytes = 128 << 10;

constexpr std::string_view kRoomLost =
    "it does not read its answer, and the answers that clients have not read have reached their limit";

template <class Stream>
class Connection final : public HttpConnection,
                         public transport::Outlet,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  static constexpr bool kTls = std::is_same_v<Stream, transport::TlsStream>;

  Connection(HttpDoor& door, std::shared_ptr<Peer> peer, std::unique_ptr<Seats::Seat> seat, Stream stream)
      : door_(door),
        peer_(std::move(peer)),
        seat_(std::move(seat)),
        stream_(std::move(stream)),
        timer_(stream_.get_executor()),
        hang_up_watch_(socket()),
        answers_(door_, peer_, kTls),
        writer_(door_.state(), stream_, timer_) {
    peer_->connect(*this, nullptr, *seat_);
    if (!door_.state().options.tokens) peer_->set_authenticated();
    transport::tune(socket());
    ::setsockopt(socket().native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes,
                 sizeof(kUnsentBytes));
  }

  void leave_when_seat_or_room_is_lost() {
    State& state = door_.state();
    writer_.room().on_loss([mailbox = state.port.mailbox(), own = this->weak_from_this()] {
      mailbox->post([own] {
        if (const auto self = own.lock()) self->leave_for_lost_room();
      });
    });
    lost_ = when_lost(*seat_, state.port.mailbox())
                .then([this, &state] {
                  log_limited(state, spdlog::level::warn, peer_->line("hanging up").add("reason", kSeatLost));
                  asio::post(stream_.get_executor(), [self = this->shared_from_this()] { self->end(); });
                })
                .eagerlyEvaluate(nullptr);
  }

  void await_request(std::chrono::steady_clock::duration time) {
    phase_ = Phase::kIdle;
    if (closing_) return end();
    timer_.wait(time, hang_up());
    await_line();
  }

  void close() override {
    closing_ = true;
    if (phase_ == Phase::kIdle || phase_ == Phase::kReading || phase_ == Phase::kLingering) end();
  }

  bool awaits_end() const override { return peer_->awaits_end(); }

  void abort() override { end(); }

  bool is_lost() override { return phase_ == Phase::kOver || hang_up_watch_.has_hung_up(); }
  std::size_t unsent_bytes() override { return 0; }  // an answer is made only when the previous one is sent

  kj::Promise<void> drained() override {
    if (phase_ == Phase::kIdle) return kj::READY_NOW;
    return writer_.drained();
  }

 private:
  enum class Phase : std::uint8_t {
    kIdle,  // it waits for a request
    kReading,
    kAnswering,
    kWriting,    // it sends an answer, or the parts of one as they come
    kLingering,  // all is said; what still arrives is read and dropped
    kOver,
  };

  void leave_for_lost_room() {
    if (!writer_.room().is_lost()) return;
    log_limited(door_.state(), spdlog::level::warn, peer_->line("hanging up").add("reason", kRoomLost));
    end();
  }

  tcp::socket& socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  // Returns a handler that keeps this connection alive, and is not called any more once the connection is
  // over.
  template <class Handler>
  auto bind(Handler handler) {
    return [self = this->shared_from_this(), handler](const error_code& error, std::size_t bytes) {
      if (self->phase_ != Phase::kOver) handler(*self, error, bytes);
    };
  }

  // Returns a function that ends this connection, and keeps it alive until then.
  auto hang_up() {
    return [self = this->shared_from_this()] { self->end(); };
  }

  // The limit may change while the connection is open.
  std::chrono::milliseconds stall_timeout() const { return door_.state().options.limits.stall_timeout; }

  // --- a request comes ---

  void await_line() {
    skip_empty_lines(buffer_);
    if (has_begun(buffer_)) return read_header();
    stream_.async_read_some(buffer_.prepare(kReadBytes - buffer_.size()),
                            bind([](Connection& self, const error_code& error, std::size_t bytes) {
                              if (error) return self.end();
                              self.buffer_.commit(bytes);
                              self.await_line();
                            }));
  }

  void read_header() {
    phase_ = Phase::kReading;
    version_ = kHttp11;
    is_head_ = false;
    is_read_ = false;
    origin_.clear();
    chunked_head_.reset();
    parser_.emplace();
    parser_->header_limit(kHeaderBytes);
    parser_->body_limit(boost::none);  // BodyRoom bounds the body once its length is known
    timer_.wait(door_.state().options.limits.greeting_timeout, hang_up());
    http::async_read_header(stream_, buffer_, *parser_,
                            bind([](Connection& self, const error_code& error, std::size_t) {
                              if (error) return self.refuse_unreadable(error);
                              self.check_header();
                            }));
  }

  // If the head is refused, the body is not read.
  void check_header() {
    version_ = parser_->get().version();
    is_head_ = parser_->get().method() == http::verb::head;
    is_read_ = is_head_ || parser_->get().method() == http::verb::get;
    origin_ = view(parser_->get()[http::field::origin]);
    if (const auto wrong = settle_head(parser_->get())) return refuse_malformed(*wrong);
    const bool has_body = parser_->chunked() || parser_->content_length().value_or(0) > 0;
    if (auto refused = answers_.refuse_unread(head(), has_body))
      return write(*std::move(refused), KeepAlive::kNo);
    const bool is_stranger = !peer_->is_authenticated() && answers_.is_known_by_its_body(head());
    auto room = BodyRoom::take(door_.state(), *parser_, answers_.most_body_bytes(head()), is_stranger);
    if (!room) return refuse(room.error());
    room_.emplace(*std::move(room));
    parser_->body_limit(room_->most());
    if (parser_->chunked()) chunked_head_ = head().base();
    timer_.begin_stall(stall_timeout(), hang_up());
    const bool waits = version_ >= kHttp11 && beast::iequals(head()[http::field::expect], "100-continue");
    if (waits) return write_continue();
    read_body();
  }

  const HttpRequest& head() const { return parser_->get(); }

  void write_continue() {
    auto response = std::make_shared<http::response<http::empty_body>>(http::status::continue_, kHttp11);
    http::async_write(stream_, *response,
                      bind([response](Connection& self, const error_code& error, std::size_t) {
                        if (error) return self.end();
                        self.read_body();
                      }));
  }

  void read_body() {
    if (parser_->is_done()) return answer();
    http::async_read_some(stream_, buffer_, *parser_,
                          bind([](Connection& self, const error_code& error, std::size_t bytes) {
                            if (error) return self.refuse_unreadable(error);
                            if (auto held = self.room_->hold(self.head().body().size()); !held)
                              return self.refuse(held.error());
                            self.timer_.go_on(bytes, self.stall_timeout(), self.hang_up());
                            self.read_body();
                          }));
  }

  void refuse_unreadable(const error_code& error) {
    if (const auto wrong = malformed(error)) return refuse_malformed(*wrong);
    end();
  }

  void refuse_malformed(const Error& error) {
    log_limited(door_.state(), spdlog::level::warn,
                peer_->line("malformed HTTP request").add("reason", error.message));
    refuse(error);
  }

  // Refuses the request in its own protocol, as far as its head was read.
  void refuse(const Error& error) { write(answers_.refusal(head(), HttpRefusal(error)), KeepAlive::kNo); }

  // --- and is answered ---

  void answer() {
    phase_ = Phase::kAnswering;
    timer_.stop();
    auto request = parser_->release();
    // Fields behind a body are no part of the head (RFC 9110, 6.5.1).
    if (chunked_head_) request.base() = *std::move(chunked_head_);
    if (is_head_) request.method(http::verb::get);
    keep_alive_ = request.keep_alive() ? KeepAlive::kYes : KeepAlive::kNo;
    may_be_given_up_ = false;
    call_ = answers_.answer(std::move(request), is_head_, may_be_given_up_)
                .then([this](HttpAnswer answer) {
                  if (answer.rest.get() != nullptr)
                    return write_in_parts(std::move(answer.response), kj::mv(answer.rest));
                  write(std::move(answer.response), keep_alive_, kj::mv(answer.deliveries));
                })
                .eagerlyEvaluate([this](kj::Exception&& why) {
                  write(problem({ErrorCode::kInternal, why.getDescription().cStr()}), KeepAlive::kNo);
                });
    // A request that only waits for something to come has been read, and its body is gone.
    if (may_be_given_up_) room_.reset();
    watch_for_end();
  }

  // Watches whether the client hangs up before it has its answer: then it does not wait for its messages any
  // more. A client that goes on with another request is read only when this one is answered; until then the
  // kernel is asked whether the client is there. Answers that others wait for are given in any case: a client
  // may have said only that it sends nothing more (RFC 9112, 9.6), which looks the same.
  void watch_for_end() {
    if (buffer_.size() > 0) return look_for_end();
    watching_ = true;
    stream_.async_read_some(buffer_.prepare(kReadBytes),
                            bind([](Connection& self, const error_code& error, std::size_t bytes) {
                              self.watching_ = false;
                              if (error) return self.sends_no_more();
                              if (self.phase_ == Phase::kLingering) return self.linger();
                              self.buffer_.commit(bytes);
                              if (self.phase_ == Phase::kIdle) return self.await_line();
                              self.look_for_end();
                            }));
  }

  bool is_for_who_stays() const {
    const bool is_being_made = phase_ == Phase::kAnswering || writer_.is_in_parts();
    return may_be_given_up_ && is_being_made;
  }

  void sends_no_more() {
    const bool is_answered = phase_ == Phase::kAnswering || phase_ == Phase::kWriting;
    if (!is_answered || is_for_who_stays()) return end();
    keep_alive_ = KeepAlive::kNo;
  }

  void look_for_end() {
    if (watching_ || !is_for_who_stays() || (phase_ != Phase::kAnswering && phase_ != Phase::kWriting))
      return;
    if (hang_up_watch_.has_hung_up()) return end();
    hang_up_watch_.ask_again([self = this->shared_from_this()] { self->look_for_end(); });
  }

  enum class KeepAlive : bool { kNo, kYes };

  void write(HttpResponse response, KeepAlive keep_alive, kj::Own<UnsentDeliveries> deliveries = {}) {
    phase_ = Phase::kWriting;
    if (closing_) keep_alive = KeepAlive::kNo;
    room_.reset();
    answers_.complete(origin_, is_read_, response);
    response.version(version_);
    response.keep_alive(keep_alive == KeepAlive::kYes);
    const bool has_no_body =
        response.result() == http::status::no_content || response.result() == http::status::not_modified;
    if (!has_no_body) response.content_length(response.body().size());
    if (is_head_) response.body().clear();
    writer_.send(std::move(response), kj::mv(deliveries), when_sent(keep_alive));
  }

  void write_in_parts(HttpResponse head, kj::Own<BodySource> rest) {
    phase_ = Phase::kWriting;
    answers_.complete(origin_, is_read_, head);
    head.version(version_);
    head.keep_alive(false);
    writer_.send_in_parts(std::move(head), kj::mv(rest), when_sent(KeepAlive::kNo));
  }

  // Returns what is called when an answer was sent or could not be sent. It keeps this connection alive.
  auto when_sent(KeepAlive keep_alive) {
    return [self = this->shared_from_this(), keep_alive](const error_code& error) {
      if (error) return self->end();
      if (keep_alive == KeepAlive::kNo) return self->finish();
      self->next();
    };
  }

  void next() {
    if (!watching_) return await_request(keep_alive_time());
    phase_ = Phase::kIdle;  // the read that watches gets the next request
    if (closing_) return end();
    timer_.wait(keep_alive_time(), hang_up());
  }

  // Returns how long the connection waits for the client's next request.
  std::chrono::steady_clock::duration keep_alive_time() const {
    const std::chrono::milliseconds idle = door_.state().options.limits.idle_timeout;
    return idle == std::chrono::milliseconds(0) ? kKeepAlive
                                                : std::min<std::chrono::milliseconds>(kKeepAlive, idle);
  }

  // Lets the client read the answer before the socket is closed: closing a socket with unread bytes resets
  // the connection. With TLS the client is told first that the answer ends here: without that, it must take
  // an answer that ends with the connection for one that was cut off (RFC 9112, 9.8).
  void finish() {
    phase_ = Phase::kLingering;
    timer_.wait(kLingerRefused, hang_up());
    if constexpr (kTls) {
      // The function is called when the client has said the same, or has sent something else.
      stream_.async_shutdown([self = this->shared_from_this()](const error_code&) {
        if (self->phase_ != Phase::kOver) self->send_no_more();
      });
    } else {
      send_no_more();
    }
  }

  void send_no_more() {
    error_code ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
    if (closing_) return end();
    if (!watching_) linger();
  }

  // What is dropped need not be decrypted.
  void linger() {
    buffer_.clear();
    socket().async_read_some(buffer_.prepare(kReadBytes),
                             bind([](Connection& self, const error_code& error, std::size_t) {
                               if (error) return self.end();
                               self.linger();
                             }));
  }

  void end() {
    if (std::exchange(phase_, Phase::kOver) == Phase::kOver) return;
    const auto self = this->shared_from_this();
    call_ = nullptr;
    writer_.stop();
    timer_.stop();
    hang_up_watch_.stop();
    peer_->disconnect();
    error_code ignored;
    socket().close(ignored);
    seat_.reset();
    door_.gone(peer_->number());
  }

  HttpDoor& door_;
  const std::shared_ptr<Peer> peer_;
  std::unique_ptr<Seats::Seat> seat_;
  Stream stream_;
  ConnectionTimer timer_;
  HangUpWatch hang_up_watch_;
  Answers answers_;
  AnswerWriter<Stream> writer_;
  beast::flat_buffer buffer_{kReadBytes};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<BodyRoom> room_;
  std::optional<http::request_header<>> chunked_head_;
  std::string origin_;  // the Origin of the request that is answered
  unsigned version_ = kHttp11;
  bool is_head_ = false;
  bool is_read_ = false;  // the request is a GET or a HEAD
  KeepAlive keep_alive_ = KeepAlive::kNo;
  bool may_be_given_up_ = false;  // see Answers::answer
  Phase phase_ = Phase::kIdle;
  bool watching_ = false;
  bool closing_ = false;
  kj::Promise<void> call_ = nullptr;
  kj::Promise<void> lost_ = nullptr;
};

template <class Stream>
std::shared_ptr<HttpConnection> start_on(HttpDoor& door, std::shared_ptr<Peer> peer,
                                         std::unique_ptr<Seats::Seat> seat, Stream stream) {
  const auto greeting = door.state().options.limits.greeting_timeout;
  auto connection =
      std::make_shared<Connection<Stream>>(door, std::move(peer), std::move(seat), std::move(stream));
  connection->leave_when_seat_or_room_is_lost();
  connection->await_request(greeting);
  return connection;
}

}  // namespace

std::shared_ptr<HttpConnection> HttpConnection::start(HttpDoor& door, std::shared_ptr<Peer> peer,
                                                      std::unique_ptr<Seats::Seat> seat, tcp::socket socket) {
  return start_on(door, std::move(peer), std::move(seat), std::move(socket));
}

std::shared_ptr<HttpConnection> HttpConnection::start(HttpDoor& door, std::shared_ptr<Peer> peer,
                                                      std::unique_ptr<Seats::Seat> seat,
                                                      transport::TlsStream stream) {
  return start_on(door, std::move(peer), std::move(seat), std::move(stream));
}

}  // namespace holdfast::server
