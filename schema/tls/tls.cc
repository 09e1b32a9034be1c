#include "schema/tls/tls.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace holdfast::transport {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

// The ciphers of TLS 1.2 with forward secrecy and authenticated encryption. All ciphers of TLS 1.3 are like
// that.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

tl::unexpected<Error> bad(ErrorCode code, std::string_view what, const std::filesystem::path& file,
                          const std::string& why) {
  return fail(code, "TLS " + std::string(what) + " '" + file.string() + "': " + why);
}

// Checks that a file can be opened. OpenSSL's own errors do not say why one cannot.
Result<void> check_file(std::string_view what, const std::filesystem::path& file, bool secret) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  const int failure = descriptor < 0 || ::fstat(descriptor, &info) != 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  if (failure != 0) {
    const auto code = failure == EACCES ? ErrorCode::kPermissionDenied : ErrorCode::kInvalidArgument;
    return bad(code, what, file, std::system_category().message(failure));
  }
  if (!S_ISREG(info.st_mode)) return bad(ErrorCode::kInvalidArgument, what, file, "is not a file");
  if (secret && (info.st_mode & S_IRWXO) != 0)
    return bad(ErrorCode::kPermissionDenied, what, file, "others may read it; take that away (chmod o-rwx)");
  return {};
}

}  // namespace

TlsContext::TlsContext(ssl::context::method method) : context_(method) {
  SSL_CTX* native = context_.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, kCiphers);
  context_.set_options(ssl::context::no_compression | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  // Connections last, so resuming sessions is not worth its memory. And a file must not ask for a password at
  // the terminal.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  context_.set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
}

Result<void> TlsContext::show(const TlsFiles& files) {
  if (auto ok = check_file("certificate", files.certificate, false); !ok) return ok;
  if (auto ok = check_file("key", files.key, true); !ok) return ok;
  error_code error;
  context_.use_certificate_chain_file(files.certificate.string(), error);
  if (error)
    return bad(ErrorCode::kInvalidArgument, "certificate", files.certificate,
               "is not a certificate in PEM: " + error.message());
  context_.use_private_key_file(files.key.string(), ssl::context::pem, error);
  const bool other = error && ERR_GET_LIB(static_cast<unsigned long>(error.value())) == ERR_LIB_X509;
  if (error && !other)
    return bad(ErrorCode::kInvalidArgument, "key", files.key,
               "is not a private key in PEM without a password: " + error.message());
  if (other || SSL_CTX_check_private_key(context_.native_handle()) != 1) {
    ERR_clear_error();
    return bad(ErrorCode::kInvalidArgument, "key", files.key,
               "does not belong to the certificate '" + files.certificate.string() + "'");
  }
  return {};
}

Result<void> TlsContext::trust(const std::filesystem::path& ca) {
  if (auto ok = check_file("CA", ca, false); !ok) return ok;
  error_code error;
  context_.load_verify_file(ca.string(), error);
  if (!error) return {};
  return bad(ErrorCode::kInvalidArgument, "CA", ca, "has no certificates in PEM: " + error.message());
}

Result<std::shared_ptr<TlsContext>> TlsContext::for_server(const TlsFiles& files) {
  auto made = std::make_shared<TlsContext>(ssl::context::tls_server);
  if (auto ok = made->show(files); !ok) return tl::unexpected(ok.error());
  if (files.ca.empty()) return made;
  if (auto ok = made->trust(files.ca); !ok) return tl::unexpected(ok.error());
  made->context_.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  SSL_CTX_set_client_CA_list(made->context_.native_handle(), SSL_load_client_CA_file(files.ca.c_str()));
  made->asks_for_certificates_ = true;
  return made;
}

Result<std::shared_ptr<TlsContext>> TlsContext::for_client(const TlsFiles& files, std::string server_name) {
  auto made = std::make_shared<TlsContext>(ssl::context::tls_client);
  made->server_name_ = std::move(server_name);
  made->context_.set_verify_mode(ssl::verify_peer);
  if (files.ca.empty()) {
    error_code ignored;  // without trusted certificates no server is trusted
    made->context_.set_default_verify_paths(ignored);
  } else if (auto ok = made->trust(files.ca); !ok) {
    return tl::unexpected(ok.error());
  }
  if (files.certificate.empty() != files.key.empty())
    return fail(ErrorCode::kInvalidArgument, "TLS: a certificate and its key go together");
  if (files.certificate.empty()) return made;
  if (auto ok = made->show(files); !ok) return tl::unexpected(ok.error());
  return made;
}

}  // namespace holdfast::transport
