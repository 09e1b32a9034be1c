#include "schema/transport/handshake.h"

#include <kj/debug.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <optional>
#include <string_view>

#include "schema/transport/frames/spoken.h"

namespace holdfast::transport {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;
using Type = kj::Exception::Type;

// This is a record with a fatal alert for the protocol's version.
constexpr std::string_view kNoTlsAnswer("\x15\x03\x01\x00\x02\x02\x46", 7);

int reason_of(const error_code& error) { return ERR_GET_REASON(static_cast<unsigned long>(error.value())); }

bool is_http(const error_code& error) {
  return reason_of(error) == SSL_R_HTTP_REQUEST || reason_of(error) == SSL_R_HTTPS_PROXY_REQUEST;
}

bool is_no_tls(const error_code& error) {
  switch (reason_of(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNKNOWN_PROTOCOL:
      return true;
    default:
      return is_http(error);
  }
}

kj::Exception exception(Type type, std::string_view what) {
  return kj::Exception(type, __FILE__, __LINE__, kj::heapString(what.data(), what.size()));
}

kj::Exception failure(const error_code& error, SSL* session) {
  if (error.category() != asio::error::get_ssl_category())
    return exception(Type::DISCONNECTED, "the other side hung up during the TLS handshake");
  if (is_http(error)) return exception(Type::UNIMPLEMENTED, "the other side speaks HTTP, and without TLS");
  if (is_no_tls(error)) return exception(Type::UNIMPLEMENTED, "the other side does not speak TLS");
  const long verified = SSL_get_verify_result(session);
  if (verified != X509_V_OK) {
    return exception(Type::FAILED, std::string("the other side's certificate is not trusted: ") +
                                       X509_verify_cert_error_string(verified));
  }
  return exception(Type::FAILED, "TLS handshake: " + error.message());
}

// Makes the session check the server's name. Returns false if nothing can have that name. Without this check
// any trusted certificate would do.
bool expect_server(SSL* session, const std::string& name) {
  error_code no_number;
  asio::ip::make_address(name, no_number);
  if (!no_number) {
    // The zone belongs to this machine: "fe80::1%eth0".
    const std::string address = name.substr(0, name.find('%'));
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), address.c_str()) == 1;
  }
  if (X509_VERIFY_PARAM_set1_host(SSL_get0_param(session), name.data(), name.size()) != 1) return false;
  std::string copy = name;  // the macro SSL_set_tlsext_host_name would need casts of C
  SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, copy.data());
  return true;
}

}  // namespace

// Asio's handlers share it.
struct Handshake::Core : std::enable_shared_from_this<Core> {
  Core(tcp::socket socket, std::shared_ptr<TlsContext> context, ssl::stream_base::handshake_type handshake)
      : tls(std::move(context)), stream(std::in_place, std::move(socket), tls->context()), type(handshake) {}

  void finish(const error_code& error) {
    if (!shaken->isWaiting()) return;
    if (error) {
      shaken->reject(failure(error, stream->native_handle()));
      if (error.category() == asio::error::get_ssl_category() && is_no_tls(error))
        answer = is_http(error) ? std::string_view(kHttpAnswer) : kNoTlsAnswer;
    } else {
      shaken->fulfill();
    }
  }

  void discard() {
    stream->next_layer().async_read_some(asio::buffer(discarded),
                                         [self = shared_from_this()](const error_code& error, std::size_t) {
                                           if (!error) return self->discard();
                                           self->closed->fulfill();
                                         });
  }

  const std::shared_ptr<TlsContext> tls;
  std::optional<TlsStream> stream;  // empty once it is taken
  const ssl::stream_base::handshake_type type;
  kj::Own<kj::PromiseFulfiller<void>> shaken;
  kj::Own<kj::PromiseFulfiller<void>> closed;
  std::string_view answer;     // for a peer who does not speak TLS: OpenSSL has no word for those
  bool can_be_checked = true;  // whether the server's name can be checked
  std::array<char, 1024> discarded{};
};

Handshake::Handshake(tcp::socket socket, std::shared_ptr<TlsContext> tls)
    : core_(std::make_shared<Core>(std::move(socket), std::move(tls), ssl::stream_base::server)) {}

Handshake::Handshake(tcp::socket socket, std::shared_ptr<TlsContext> tls, const std::string& host)
    : core_(std::make_shared<Core>(std::move(socket), std::move(tls), ssl::stream_base::client)) {
  const std::string& name = core_->tls->server_name();
  core_->can_be_checked = expect_server(core_->stream->native_handle(), name.empty() ? host : name);
}

Handshake::~Handshake() {
  error_code ignored;
  if (core_->stream) core_->stream->lowest_layer().close(ignored);
}

kj::Promise<void> Handshake::run() {
  if (!core_->can_be_checked) return exception(Type::FAILED, "no certificate can name that server");
  auto pending = kj::newPromiseAndFulfiller<void>();
  core_->shaken = kj::mv(pending.fulfiller);
  core_->stream->async_handshake(core_->type,
                                 [core = core_](const error_code& error) { core->finish(error); });
  return kj::mv(pending.promise);
}

TlsStream Handshake::take() {
  TlsStream stream = *std::move(core_->stream);
  core_->stream.reset();
  return stream;
}

std::string Handshake::peer_name() const {
  X509* certificate = SSL_get0_peer_certificate(core_->stream->native_handle());
  if (certificate == nullptr) return {};
  std::array<char, 256> text{};
  const int size = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text.data(),
                                             static_cast<int>(text.size()));
  std::string name(text.data(), static_cast<std::size_t>(std::max(size, 0)));
  // The name goes into the log.
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return name;
}

kj::Promise<void> Handshake::linger() {
  auto pending = kj::newPromiseAndFulfiller<void>();
  core_->closed = kj::mv(pending.fulfiller);
  error_code ignored;
  asio::write(core_->stream->next_layer(), asio::buffer(core_->answer), ignored);
  core_->stream->lowest_layer().shutdown(tcp::socket::shutdown_send, ignored);
  core_->discard();
  return kj::mv(pending.promise);
}

}  // namespace holdfast::transport
