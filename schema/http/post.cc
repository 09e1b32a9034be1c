#include "http/post.h"

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
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

namespace holdfast::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = asio::ssl;
using asio::use_awaitable;
using asio::ip::tcp;
using Request = beast::http::request<beast::http::string_body>;

constexpr std::uint64_t kAnswerBytes = 64 << 10;  // of a body that nobody reads

Request make_request(const Url& url, const std::string& json) {
  Request request(beast::http::verb::post, url.target, 11);
  request.set(beast::http::field::host, url.authority());
  request.set(beast::http::field::user_agent, "holdfast");
  request.set(beast::http::field::content_type, "application/json");
  request.keep_alive(false);
  request.body() = json;
  request.prepare_payload();
  return request;
}

// The status stands before the body: what becomes of the body does not matter.
template <class Stream>
asio::awaitable<unsigned> exchange(Stream& stream, const Request& request) {
  co_await beast::http::async_write(stream, request, use_awaitable);
  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::string_body> parser;
  parser.body_limit(kAnswerBytes);
  co_await beast::http::async_read_header(stream, buffer, parser, use_awaitable);
  co_return parser.get().result_int();
}

asio::awaitable<unsigned> run(const Url& url, const std::string& json) {
  const auto executor = co_await asio::this_coro::executor;
  tcp::resolver resolver(executor);
  const auto endpoints = co_await resolver.async_resolve(url.host, std::to_string(url.port), use_awaitable);
  const Request request = make_request(url, json);
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
  Impl(Url url, Duration timeout) : url_(std::move(url)), timeout_(timeout) {}

  Result<unsigned> post(const std::string& json) {
    std::optional<Result<unsigned>> answer;
    asio::io_context io;
    if (!begin(io)) return closed();
    asio::co_spawn(io, run(url_, json), [&](const std::exception_ptr& error, unsigned status) {
      answer = error ? failed(error) : Result<unsigned>(status);
    });
    io.run_for(timeout_);
    if (!end()) return closed();
    if (answer) return *std::move(answer);
    return fail(ErrorCode::kUnavailable,
                "no answer from " + url_.authority() + " within " + format_duration(timeout_));
  }

  void cancel() {
    const std::scoped_lock lock(mutex_);
    cancelled_ = true;
    if (running_ != nullptr) running_->stop();
  }

 private:
  static tl::unexpected<Error> closed() { return fail(ErrorCode::kClosed, "the webhook is closed"); }

  Result<unsigned> failed(const std::exception_ptr& error) const {
    try {
      std::rethrow_exception(error);
    } catch (const boost::system::system_error& e) {
      return fail(ErrorCode::kUnavailable, url_.authority() + ": " + e.code().message());
    } catch (const std::exception& e) {
      return fail(ErrorCode::kUnavailable, url_.authority() + ": " + e.what());
    }
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
  std::mutex mutex_;
  asio::io_context* running_ = nullptr;
  bool cancelled_ = false;
};

Poster::Poster(Url url, Duration timeout) : impl_(std::make_unique<Impl>(std::move(url), timeout)) {}
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
