// TLS: what each side shows, and whom it trusts.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "holdfast/error.h"

namespace holdfast::transport {

// TlsFiles names files in PEM.
struct TlsFiles {
  // This side's certificate, followed by those between it and its root.
  std::filesystem::path certificate = {};
  // The certificate's key, without a password; only its owner may be able to read it.
  std::filesystem::path key = {};
  std::filesystem::path ca = {};  // those who may sign the other side's certificate

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

// TlsContext is a configuration for TLS 1.2 or newer. Connections and threads may share it.
class TlsContext {
 public:
  // Errors name the file. kInvalidArgument if it is missing or of the wrong kind; kPermissionDenied if this
  // process may not read it, or if others may read a key.

  // Makes a context for a server, which needs a certificate and a key. With a `ca`, clients must show a
  // certificate that it has signed; otherwise they are asked for none.
  static Result<std::shared_ptr<TlsContext>> for_server(const TlsFiles& files);

  // Makes a context for a client. Without a `ca` the certificates that the system trusts apply. A certificate
  // and its key may both be left out. `server_name` is the name in the certificate that the server must show;
  // if empty, it is the host that the client connects to.
  static Result<std::shared_ptr<TlsContext>> for_client(const TlsFiles& files, std::string server_name = {});

  explicit TlsContext(boost::asio::ssl::context::method method);

  boost::asio::ssl::context& context() { return context_; }
  bool asks_for_certificates() const { return asks_for_certificates_; }
  const std::string& server_name() const { return server_name_; }

 private:
  Result<void> show(const TlsFiles& files);
  Result<void> trust(const std::filesystem::path& ca);

  boost::asio::ssl::context context_;
  bool asks_for_certificates_ = false;
  std::string server_name_;
};

}  // namespace holdfast::transport
