#include "server/access/exposure.h"

#include <boost/asio/io_context.hpp>
#include <string>

#include "schema/tls/tls.h"

namespace holdfast::server {

using boost::asio::ip::tcp;
using transport::Address;

Result<tcp::endpoint> endpoint_of(const Address& address, std::string_view option) {
  boost::asio::io_context io;
  boost::system::error_code error;
  const auto found = tcp::resolver(io).resolve(address.host, std::to_string(address.port), error);
  if (!error) return found.begin()->endpoint();
  return fail(ErrorCode::kInvalidArgument,
              std::string(option) + ": " + to_string(address) + ": " + error.message());
}

Result<void> check_exposure(const Address& address, const tcp::endpoint& endpoint, std::string_view option,
                            const ServerOptions& options) {
  const std::string what = std::string(option) + ": " + to_string(address);
  const bool encrypted = address.kind == Address::Kind::kTls;
  if (encrypted && !options.tls)
    return fail(ErrorCode::kInvalidArgument, what + " needs TLS, but tls-certificate is not set");
  if (endpoint.address().is_loopback() || options.allow_insecure) return {};
  const bool controlled = options.tokens || (encrypted && options.tls->asks_for_certificates());
  if (encrypted && controlled) return {};
  std::string lacks = encrypted ? "" : "encryption (it needs tls://, --tls-certificate and --tls-key)";
  if (!controlled)
    lacks += (lacks.empty() ? "" : " and no ") +
             std::string("access control (it needs --tokens or --tls-client-ca)");
  return fail(ErrorCode::kPermissionDenied, what + " can be reached from other machines, and there is no " +
                                                lacks + "; --allow-insecure allows it anyway");
}

}  // namespace holdfast::server
