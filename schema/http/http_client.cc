#include "schema/http/http_client.h"

#include <openssl/ssl.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "engine/sync/mutex.h"

namespace holdfast::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = asio::ssl;
using asio::use_awaitable;
using asio::ip::tcp;
using HttpRequest = beast::http::request<beast::http::string_body>;

constexpr std::uint32_t kHeaderBytes = 64 << 10;  // of an answer

// A call, and what has come of its answer so far.
struct Exchange {
  HttpRequest request;
  std::size_t body_bytes;
  Answer answer = {};
};

HttpRequest make_request(const Url& url, const OutgoingRequest& from) {
  HttpRequest request(beast::http::string_to_verb(from.method), from.target, 11);
  request.set(beast::http::field::host, url.authority());
  request.set(beast::http::field::user_agent, "holdfast");
  for (const auto& [name, value] : from.headers) request.set(name, value);
  request.keep_alive(false);
  request.body() = from.body;
  request.prepare_payload();
  return request;
}

// The status precedes the body, so the length and the end of the body do not matter.
template <class Stream>
asio::awaitable<void> perform(Stream& stream, Exchange& exchange) {
  co_await beast::http::async_write(stream, exchange.request, use_awaitable);
  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::string_body> parser;
  parser.header_limit(kHeaderBytes);
  parser.body_limit(boost::none);
  co_await beast::http::async_read_header(stream, buffer, parser, use_awaitable);
  exchange.answer.status = parser.get().result_int();
  boost::system::error_code ended;
  while (!ended && !parser.is_done() && parser.get().body().size() < exchange.body_bytes) {
    co_await beast::http::async_read_some(stream, buffer, parser, asio::redirect_error(use_awaitable, ended));
    exchange.answer.body = parser.get().body().substr(0, exchange.body_bytes);
  }
}

asio::awaitable<void> run(const Url& url, const Addresses& addresses, Exchange& exchange) {
  const auto executor = co_await asio::this_coro::executor;
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& address : addresses)
    endpoints.emplace_back(asio::ip::make_address(address), url.port);
  if (!url.tls) {
    beast::tcp_stream stream(executor);
    co_await stream.async_connect(endpoints, use_awaitable);
    co_await perform(stream, exchange);
    co_return;
  }
  ssl::context context(ssl::context::tls_client);
  context.set_default_verify_paths();
  context.set_verify_mode(ssl::verify_peer);
  beast::ssl_stream<beast::tcp_stream> stream(executor, context);
  stream.set_verify_callback(ssl::host_name_verification(url.host));
  std::string name = url.host;  // the macro SSL_set_tlsext_host_name would need casts of C
  SSL_ctrl(stream.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data());
  co_await beast::get_lowest_layer(stream).async_connect(endpoints, use_awaitable);
  co_await stream.async_handshake(ssl::stream_base::client, use_awaitable);
  co_await perform(stream, exchange);
}

}  // namespace

class Client::Impl {
 public:
  Impl(Url url, Duration timeout, Resolve resolve, std::size_t body_bytes)
      : url_(std::move(url)), timeout_(timeout), resolve_(std::move(resolve)), body_bytes_(body_bytes) {}

  Result<Answer> call(const OutgoingRequest& request) {
    const auto deadline = std::chrono::steady_clock::now() + timeout_;
    const auto lookup = look_up();
    if (!lookup) return tl::unexpected(lookup.error());
    const auto addresses = lookup->wait_until(deadline);
    if (!addresses) return too_late("no address of " + url_.host);
    if (!*addresses) return tl::unexpected(addresses->error());
    try {
      return ask(**addresses, request, deadline);
    } catch (const boost::system::system_error& e) {
      return fail(ErrorCode::kUnavailable, url_.authority() + ": " + e.code().message());
    } catch (const std::exception& e) {
      return fail(ErrorCode::kUnavailable, url_.authority() + ": " + e.what());
    }
  }

  void cancel() {
    const sync::Lock lock(mutex_);
    cancelled_ = true;
    if (lookup_) lookup_->give_up(closed().value());
    if (running_ != nullptr) running_->stop();
  }

 private:
  static tl::unexpected<Error> closed() { return fail(ErrorCode::kClosed, "it is closed"); }
  tl::unexpected<Error> too_late(const std::string& what) const {
    return fail(ErrorCode::kUnavailable, what + " within " + format_duration(timeout_));
  }

  // Returns the lookup of an earlier call if it still runs, so that at most one thread of this Client hangs.
  Result<Lookup> look_up() {
    const sync::Lock lock(mutex_);
    if (cancelled_) return closed();
    if (lookup_ && !lookup_->over()) return *lookup_;
    auto started = Lookup::start(resolve_, url_.host);
    if (started) lookup_ = *started;
    return started;
  }

  // Throws the errors of the connection.
  Result<Answer> ask(const Addresses& addresses, const OutgoingRequest& request,
                     std::chrono::steady_clock::time_point deadline) {
    Exchange exchange{.request = make_request(url_, request), .body_bytes = body_bytes_};
    std::exception_ptr error;
    {
      asio::io_context io;
      if (!begin(io)) return closed();
      asio::co_spawn(io, run(url_, addresses, exchange),
                     [&](const std::exception_ptr& failure) { error = failure; });
      io.run_until(deadline);
      if (!end()) return closed();
    }
    if (exchange.answer.status != 0) return std::move(exchange.answer);
    if (error) std::rethrow_exception(error);
    return too_late("no answer from " + url_.authority());
  }

  bool begin(asio::io_context& io) {
    const sync::Lock lock(mutex_);
    if (!cancelled_) running_ = &io;
    return !cancelled_;
  }
  bool end() {
    const sync::Lock lock(mutex_);
    running_ = nullptr;
    return !cancelled_;
  }

  const Url url_;
  const Duration timeout_;
  const Resolve resolve_;
  const std::size_t body_bytes_;
  sync::Mutex mutex_;
  std::optional<Lookup> lookup_ HOLDFAST_GUARDED_BY(mutex_);
  asio::io_context* running_ HOLDFAST_GUARDED_BY(mutex_) = nullptr;
  bool cancelled_ HOLDFAST_GUARDED_BY(mutex_) = false;
};

Client::Client(Url url, Duration timeout, Resolve resolve, std::size_t body_bytes)
    : impl_(std::make_unique<Impl>(std::move(url), timeout, std::move(resolve), body_bytes)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Answer> Client::call(const OutgoingRequest& request) { return impl_->call(request); }
void Client::cancel() { impl_->cancel(); }

}  // namespace holdfast::http
