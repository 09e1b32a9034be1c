#include "server/access/credentials.h"

#include <algorithm>

#include "server/access/tokens.h"
#include "transport/address.h"

namespace holdfast::server {
namespace {

bool listens_with_tls(const Config& config) {
  return std::ranges::any_of(config.server.listen, [](const std::string& text) {
    const auto address = transport::parse_address(text);
    return address && address->kind == transport::Address::Kind::kTls;
  });
}

Result<std::shared_ptr<transport::TlsContext>> load_tls(const Config& config) {
  const auto& files = config.tls;
  const bool listens = listens_with_tls(config);
  if (!listens && files == transport::TlsFiles{}) return nullptr;
  if (!listens)
    return fail(ErrorCode::kInvalidArgument,
                "tls-certificate: no address to listen on wants TLS; give --listen tls://HOST:PORT");
  if (files.certificate.empty())
    return fail(ErrorCode::kInvalidArgument, "tls-certificate: no file was said");
  if (files.key.empty()) return fail(ErrorCode::kInvalidArgument, "tls-key: no file was said");
  return transport::TlsContext::for_server(files);
}

}  // namespace

Result<Credentials> load_credentials(const Config& config) {
  Credentials credentials;
  if (!config.tokens.empty()) {
    auto tokens = Tokens::load(config.tokens);
    if (!tokens) return fail(tokens.error().code, "tokens: " + tokens.error().message);
    credentials.tokens = *std::move(tokens);
  }
  auto tls = load_tls(config);
  if (!tls) return tl::unexpected(tls.error());
  credentials.tls = *std::move(tls);
  return credentials;
}

}  // namespace holdfast::server
