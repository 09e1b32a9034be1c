// Client checks its options and the address before it starts a thread and connects. If the system has no
// thread or file descriptor for it, connect() returns kUnavailable instead of throwing.
#include "holdfast/client.h"

#include <exception>

#include "client/calls/call_sender.h"
#include "client/connection/translate.h"

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

ClientHandle::ClientHandle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClientHandle::ClientHandle(ClientHandle&&) noexcept = default;
ClientHandle& ClientHandle::operator=(ClientHandle&&) noexcept = default;
ClientHandle::~ClientHandle() = default;

Client::Client(std::unique_ptr<Impl> impl) : BlockingOperationVerbs(std::move(impl)) {}
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
  } catch (const kj::Exception& e) {
    return fail(ErrorCode::kUnavailable, "cannot start the client: " + client::description_of(e));
  } catch (const std::exception& e) {  // no thread or file descriptor can be had
    return fail(ErrorCode::kUnavailable, std::string("cannot start the client: ") + e.what());
  }
}

void Client::close() { impl_->close(); }
Timestamp BlockingOperationVerbs::now() const { return impl_->server_time(); }
ClientVerbs& ClientHandle::verbs() { return impl_->verbs(); }
Client::CallToken Client::next_token() { return {impl_->next_number()}; }
void Client::cancel_call(CallToken token) { impl_->cancel(token.number); }

}  // namespace holdfast
