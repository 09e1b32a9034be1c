// TLS: what either side shows and whom it trusts.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "holdfast/error.h"

namespace holdfast::transport {

// Files in PEM.
struct TlsFiles {
  std::filesystem::path certificate = {};  // one's own, then those between it and its root
  std::filesystem::path key = {};  // of the certificate; without a password, and no others may read it
  std::filesystem::path ca = {};   // who signs the certificates of the other side

  friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

// TLS 1.2 or newer. Shared by connections, and by threads.
class TlsContext {
 public:
  // Errors name the file: kInvalidArgument if it is missing or not what it is to be, kPermissionDenied if
  // this process may not read it or others may read a key.

  // A certificate and a key are needed. With a `ca` clients need a certificate of its, else none is asked
  // for.
  static Result<std::shared_ptr<TlsContext>> for_server(const TlsFiles& files);

  // Without a `ca` those that the system trusts hold; certificate and key go together and may be left out.
  // `server_name`: whose certificate the server has to show; empty: the host's that is connected to.
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
