#include "schema/http/post.h"

#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = asio::ssl;
using asio::use_awaitable;
using asio::ip::tcp;
using PostRequest = beast::http::request<beast::http::string_body>;

constexpr std::uint32_t kHeaderBytes = 64 << 10;  // of an answer

PostRequest make_request(const Url& url, const std::string& json) {
  PostRequest request(beast::http::verb::post, url.target, 11);
  request.set(beast::http::field::host, url.authority());
  request.set(beast::http::field::user_agent, "holdfast");
  request.set(beast::http::field::content_type, "application/json");
  request.keep_alive(false);
  request.body() = json;
  request.prepare_payload();
  return request;
}

// The status stands before the body: how long that is, and what becomes of it, does not matter.
template <class Stream>
asio::awaitable<unsigned> exchange(Stream& stream, const PostRequest& request) {
  co_await beast::http::async_write(stream, request, use_awaitable);
  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::string_body> parser;
  parser.header_limit(kHeaderBytes);
  parser.body_limit(boost::none);
  co_await beast::http::async_read_header(stream, buffer, parser, use_awaitable);
  co_return parser.get().result_int();
}

asio::awaitable<unsigned> run(const Url& url, const Addresses& addresses, const std::string& json) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& address : addresses)
    endpoints.emplace_back(asio::ip::make_address(address), url.port);
  const PostRequest request = make_request(url, json);
  if (!url.tls) {
    beast::tcp_stream stream(executor);
    co_await stream.async_connect(endpoints, use_awaitable);
    co_return co_await exchange(stream, request);
  }
  ssl::context context(ssl::context::tls_client);
  context.set_default_verify_paths();
  context.set_verify_mode(ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> stream(executor, context);
  stream.set_verify_callback(ssl::host_name_verification(url.host));
  std::string name = url.host;  // SSL_set_tlsext_host_name, whose casts are C's
  SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
  co_await beast::get_lowest_layer(stream).async_connect(endpoints, use_awaitable);
  co_await stream.async_handshake(ssl::stream_base::client, use_awaitable);
  co_return co_await exchange(stream, request);
}

}  // namespace

class Poster::Impl {
 public:
  Impl(Url url, Duration timeout, Resolve resolve)
      : url_(std::move(url)), timeout_(timeout), resolve_(std::move(resolve)) {}

  Result<unsigned> post(const std::string& json) {
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    const auto lookup = look_up();
    if (!lookup) return tl::unexpected(lookup.error());
    const auto addresses = lookup->wait_until(deadline);
    if (!addresses) return too_late("no address of " + url_.host);
    if (!*addresses) return tl::unexpected(addresses->error());
    try {
      return ask(**addresses, json, deadline);
    } catch (const boost::system::system_error& e) {
      return fail(ErrorCode::kUnavailable, url_.authority() + ": " + e.code().message());
    } catch (const std::exception& e) {
      return fail(ErrorCode::kUnavailable, url_.authority() + ": " + e.what());
    }
  }

  void cancel() {
    const std::scoped_lock lock(mutex_);
    cancelled_ = true;
    if (lookup_) lookup_->give_up(closed().value());
    if (running_ != nullptr) running_->stop();
  }

 private:
  static tl::unexpected<Error> closed() { return fail(ErrorCode::kClosed, "the webhook is closed"); }
  tl::unexpected<Error> too_late(const std::string& what) const {
    return fail(ErrorCode::kUnavailable, what + " within " + format_duration(timeout_));
  }

  // That of an earlier call if it still goes on, so that never more than one thread of this Poster hangs.
  Result<Lookup> look_up() {
    const std::scoped_lock lock(mutex_);
    if (cancelled_) return closed();
    if (lookup_ && !lookup_->over()) return *lookup_;
    auto started = Lookup::start(resolve_, url_.host);
    if (started) lookup_ = *started;
    return started;
  }

  // Throws what goes wrong with the connection.
  Result<unsigned> ask(const Addresses& addresses, const std::string& json,
                       std::chrono::steady_clock::time_point deadline) {
    std::optional<unsigned> status;
    std::exception_ptr error;
    asio::io_context io;
    if (!begin(io)) return closed();
    asio::co_spawn(io, run(url_, addresses, json), [&](const std::exception_ptr& failure, unsigned answer) {
      error = failure;
      if (!failure) status = answer;
    });
    io.run_until(deadline);
    if (!end()) return closed();
    if (error) std::rethrow_exception(error);
    if (!status) return too_late("no answer from " + url_.authority());
    return *status;
  }

  bool begin(asio::io_context& io) {
    const std::scoped_lock lock(mutex_);
    if (!cancelled_) running_ = &io;
    return !cancelled_;
  }
  bool end() {
    const std::scoped_lock lock(mutex_);
    running_ = nullptr;
    return !cancelled_;
  }

  const Url url_;
  const Duration timeout_;
  const Resolve resolve_;
  std::mutex mutex_;  // guards all below
  std::optional<Lookup> lookup_;
  asio::io_context* running_ = nullptr;
  bool cancelled_ = false;
};

Poster::Poster(Url url, Duration timeout, Resolve resolve)
    : impl_(std::make_unique<Impl>(std::move(url), timeout, std::move(resolve))) {}
Poster::Poster(Poster&&) noexcept = default;
Poster& Poster::operator=(Poster&&) noexcept = default;
Poster::~Poster() = default;

Result<unsigned> Poster::post(const std::string& json) { return impl_->post(json); }
void Poster::cancel() { impl_->cancel(); }

Verdict verdict_on(const Result<unsigned>& answer) {
  constexpr unsigned kRequestTimeout = 408;
  constexpr unsigned kTooEarly = 425;
  constexpr unsigned kTooManyRequests = 429;
  if (!answer) return answer.error().code == ErrorCode::kClosed ? Verdict::kRefused : Verdict::kAgain;
  const unsigned status = *answer;
  if (status >= 200 && status < 300) return Verdict::kTaken;
  const bool again =
      status >= 500 || status == kRequestTimeout || status == kTooEarly || status == kTooManyRequests;
  return again ? Verdict::kAgain : Verdict::kRefused;
}

std::string describe(const Result<unsigned>& answer) {
  return answer ? "answered " + std::to_string(*answer) : answer.error().message;
}

}  // namespace holdfast::http
