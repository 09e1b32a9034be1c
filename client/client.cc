#include "holdfast/client.h"

#include <exception>

#include "client/impl.h"

namespace holdfast {
namespace {

Result<void> check(std::string_view field, Duration value, Duration min) {
  if (value >= min && value <= limits::kDelayMax) return {};
  return fail(ErrorCode::kInvalidArgument, std::string(field) + ": " + std::to_string(value.count()) +
                                               " microseconds, not " + std::to_string(min.count()) + ".." +
                                               std::to_string(limits::kDelayMax / Duration(1)));
}

Result<void> check(const ClientOptions& options) {
  if (auto ok = check("connect_timeout", options.connect_timeout, Duration(1)); !ok) return ok;
  if (auto ok = check("call_timeout", options.call_timeout, Duration(1)); !ok) return ok;
  if (auto ok = check("reconnect_delay", options.reconnect_delay, Duration(0)); !ok) return ok;
  return check("reconnect_delay_max", options.reconnect_delay_max, Duration(0));
}

Result<std::shared_ptr<transport::TlsContext>> make_tls(const transport::Address& address,
                                                        const ClientTls& tls) {
  if (address.kind == transport::Address::Kind::kTls) {
    return transport::TlsContext::for_client(
        {.certificate = tls.certificate, .key = tls.key, .ca = tls.server_ca}, tls.server_name);
  }
  if (tls == ClientTls{}) return nullptr;
  return fail(ErrorCode::kInvalidArgument,
              "tls: the address '" + to_string(address) + "' does not begin with tls://");
}

}  // namespace

Result<void> Client::Impl::connect(const transport::Address& address,
                                   const std::shared_ptr<transport::TlsContext>& tls) {
  Result<void> result;
  loop_.call([&] {
    session_ = std::make_unique<client::Session>(loop_.port(), address, tls, options_);
    return session_->connect().then([&](Result<void> connected) { result = std::move(connected); });
  });
  return result;
}

void Client::Impl::close() {
  const std::lock_guard lock(closing_);
  loop_.call([this]() -> kj::Promise<void> {
    session_ = nullptr;
    return kj::READY_NOW;
  });
}

Client::Impl::Identity Client::Impl::identify(std::string request_id, client::Effect without) {
  // A repetition later than that would be a new call to the server.
  const bool remembered = options_.call_timeout <= limits::kRequestWindow;
  if (request_id.empty() && options_.request_ids && remembered) request_id = request_ids_.next();
  const bool safe = !request_id.empty() && remembered;
  return {std::move(request_id), safe ? client::Effect::kFenced : without};
}

Result<void> Client::Impl::subscribe(const std::shared_ptr<client::Push>& push) {
  Result<void> result = fail(ErrorCode::kClosed, "the client is closed");
  loop_.call([&]() -> kj::Promise<void> {
    if (!session_) return kj::READY_NOW;
    auto told =
        session_->subscribe(push).then([&](Result<void> subscribed) { result = std::move(subscribed); });
    return told.catch_([](kj::Exception&&) {});  // closed meanwhile
  });
  return result;
}

void Client::Impl::unsubscribe(const std::shared_ptr<client::Push>& push) {
  loop_.call([&]() -> kj::Promise<void> {
    if (session_) session_->unsubscribe(push);
    return kj::READY_NOW;
  });
}

void Client::Impl::grant(const std::shared_ptr<client::Push>& push, std::uint32_t count) {
  loop_.mailbox()->post([this, push = std::weak_ptr(push), count] {
    const auto alive = push.lock();
    if (session_ && alive) alive->grant(count);
  });
}

void Client::Impl::start(client::PendingCall call) {
  loop_.mailbox()->post([this, call = std::move(call)]() mutable {
    if (session_) session_->start(std::move(call));
  });
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(std::string_view address, ClientOptions options) {
  if (auto ok = check(options); !ok) return tl::unexpected(ok.error());
  const auto parsed = transport::parse_address(address);
  if (!parsed) return tl::unexpected(parsed.error());
  const auto tls = make_tls(*parsed, options.tls);
  if (!tls) return tl::unexpected(tls.error());
  try {
    auto impl = std::make_unique<Impl>(std::move(options));
    if (auto connected = impl->connect(*parsed, *tls); !connected) return tl::unexpected(connected.error());
    return Client(std::move(impl));
  } catch (const std::exception& e) {  // no thread or file descriptor to be had
    return fail(ErrorCode::kUnavailable, std::string("cannot start the client: ") + e.what());
  }
}

void Client::close() { impl_->close(); }

}  // namespace holdfast
