#include "server/monitor/http_listener.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <thread>
#include <vector>

#include "schema/transport/address.h"
#include "server/access/exposure.h"
#include "server/logging/line_limit.h"
#include "server/logging/log_line.h"
#include "server/monitor/http_session.h"

namespace holdfast::server {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kPauseBeforeNextAccept = std::chrono::milliseconds(100);

std::string host_of(const std::string& address) { return address.substr(0, address.rfind(':')); }

std::vector<std::string> names_of(const HttpOptions& options) {
  std::vector<std::string> names = options.names;
  names.push_back(host_of(options.address));
  return names;
}

}  // namespace

Result<tcp::endpoint> http_endpoint(const std::string& address, bool allow_remote) {
  const auto parsed = transport::parse_address(address);
  if (!parsed) return fail(parsed.error().code, "metrics-listen: " + parsed.error().message);
  const auto colon = address.rfind(':');
  const bool has_port = colon != std::string::npos && !address.ends_with(']');
  if (parsed->kind != transport::Address::Kind::kTcp || !has_port)
    return fail(ErrorCode::kInvalidArgument, "metrics-listen: '" + address + "' is not host:port");
  auto endpoint = endpoint_of(*parsed, "metrics-listen");
  if (!endpoint || endpoint->address().is_loopback() || allow_remote) return endpoint;
  return fail(ErrorCode::kPermissionDenied,
              "metrics-listen: " + address +
                  " can be reached from other machines; --allow-insecure allows it anyway");
}

class HttpListener::Impl {
 public:
  Impl(const HttpOptions& options, std::function<Page(std::string_view)> page, spdlog::logger& log)
      : service_{.page = std::move(page),
                 .names = HostNames(names_of(options)),
                 .on_refusal = [this](const std::string& peer,
                                      std::string_view why) { log_refusal(peer, why); }},
        log_(log) {}
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> listen(const tcp::endpoint& endpoint, const std::string& wanted) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return fail(ErrorCode::kUnavailable,
                  "metrics-listen: cannot listen on " + wanted + ": " + error.message());
    }
    address_ = host_of(wanted) + ":" + std::to_string(acceptor_.local_endpoint().port());
    accept_next();
    thread_ = std::thread([this] { io_.run(); });
    return {};
  }

  const std::string& address() const { return address_; }

 private:
  void accept_next() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error) return pause(error);
      make_room();
      sessions_.push_back(HttpSession::start(std::move(socket), service_));
      accept_next();
    });
  }

  void log_refusal(const std::string& peer, std::string_view why) {
    if (!log_limit_.admit(std::chrono::steady_clock::now())) return;
    LogLine line("hanging up");
    line.add("peer", peer).add("reason", why);
    if (const auto held_back = log_limit_.held_back(); held_back > 0) line.add("held_back", held_back);
    log_.warn("{}", line.text());
  }

  // Clients that send nothing, or half a request, must not keep others out.
  void make_room() {
    std::erase_if(sessions_, [](const auto& session) { return session.expired(); });
    if (sessions_.size() < kMaxSessions) return;
    const auto is_idle = [](const auto& session) { return session.lock()->idle(); };
    auto oldest = std::ranges::find_if(sessions_, is_idle);
    if (oldest == sessions_.end()) oldest = sessions_.begin();
    oldest->lock()->close();
    sessions_.erase(oldest);
  }

  // Waits for connections to close when there are no more file descriptors.
  void pause(const error_code& error) {
    log_.error("cannot take a connection on {}: {}", address_, error.message());
    pause_.expires_after(kPauseBeforeNextAccept);
    pause_.async_wait([this](const error_code&) { accept_next(); });
  }

  const HttpService service_;
  spdlog::logger& log_;
  LineLimit log_limit_;
  std::vector<std::weak_ptr<HttpSession>> sessions_;  // oldest first
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

Result<HttpListener> HttpListener::start(const HttpOptions& options,
                                         std::function<Page(std::string_view)> page, spdlog::logger& log) {
  const auto endpoint = http_endpoint(options.address, options.allow_remote);
  if (!endpoint) return tl::unexpected(endpoint.error());
  try {
    auto impl = std::make_unique<Impl>(options, std::move(page), log);
    if (auto ok = impl->listen(*endpoint, options.address); !ok) return tl::unexpected(ok.error());
    return HttpListener(std::move(impl));
  } catch (const std::exception& e) {  // no thread or file descriptor can be had
    return fail(ErrorCode::kUnavailable, std::string("metrics-listen: ") + e.what());
  }
}

const std::string& HttpListener::address() const { return impl_->address(); }

}  // namespace holdfast::server
