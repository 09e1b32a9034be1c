#include "server/monitor/http_listener.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <thread>

#include "server/monitor/http_session.h"
#include "transport/address.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr long kMaxSessions = 64;
constexpr auto kPauseAfterFailure = std::chrono::milliseconds(100);

}  // namespace

class HttpListener::Impl {
 public:
  Impl(std::function<Page(std::string_view)> page, spdlog::logger& log) : page_(std::move(page)), log_(log) {}
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> listen(transport::Address address, bool allow_remote) {
    error_code error;
    const auto found = tcp::resolver(io_).resolve(address.host, std::to_string(address.port), error);
    if (error) return fail(ErrorCode::kInvalidArgument, to_string(address) + ": " + error.message());
    const tcp::endpoint endpoint = found.begin()->endpoint();
    if (!endpoint.address().is_loopback() && !allow_remote) {
      return fail(ErrorCode::kPermissionDenied,
                  "metrics-listen: " + to_string(address) +
                      " can be reached from other machines; --allow-insecure does it all the same");
    }
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return fail(ErrorCode::kUnavailable,
                  "metrics-listen: cannot listen on " + to_string(address) + ": " + error.message());
    }
    address.port = acceptor_.local_endpoint().port();
    address_ = to_string(address);
    accept_next();
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  const std::string& address() const { return address_; }

 private:
  void accept_next() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error) return pause(error);
      // One too many is hung up on, by its socket's end.
      if (sessions_.use_count() <= kMaxSessions) serve_http(std::move(socket), page_, sessions_);
      accept_next();
    });
  }

  // Time for connections to close, when there are no more file descriptors.
  void pause(const error_code& error) {
    log_.error("cannot take a connection on {}: {}", address_, error.message());
    pause_.expires_after(kPauseAfterFailure);
    pause_.async_wait([this](const error_code&) { accept_next(); });
  }

  const std::function<Page(std::string_view)> page_;
  spdlog::logger& log_;
  const std::shared_ptr<const void> sessions_ = std::make_shared<int>();  // each holds it
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  std::string address_;
  std::thread thread_;
};

HttpListener::HttpListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpListener::HttpListener(HttpListener&&) noexcept = default;
HttpListener& HttpListener::operator=(HttpListener&&) noexcept = default;
HttpListener::~HttpListener() = default;

Result<HttpListener> HttpListener::start(const std::string& address, bool allow_remote,
                                         std::function<Page(std::string_view)> page, spdlog::logger& log) {
  const auto parsed = transport::parse_address(address);
  if (!parsed) return tl::unexpected(parsed.error());
  if (parsed->kind != transport::Address::Kind::kTcp) {
    return fail(ErrorCode::kInvalidArgument, "metrics-listen: " + address + " is not host:port");
  }
  try {
    auto impl = std::make_unique<Impl>(std::move(page), log);
    if (auto ok = impl->listen(*parsed, allow_remote); !ok) return tl::unexpected(ok.error());
    return HttpListener(std::move(impl));
  } catch (const std::exception& e) {  // no thread or file descriptor to be had
    return fail(ErrorCode::kUnavailable, std::string("metrics-listen: ") + e.what());
  }
}

const std::string& HttpListener::address() const { return impl_->address(); }

}  // namespace holdfast::server
