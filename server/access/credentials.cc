#include "server/access/credentials.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "schema/transport/address.h"
#include "server/access/tokens.h"

namespace holdfast::server {
namespace {

bool listens_with_tls(const Config& config) {
  const auto wants_tls = [](const std::string& text) {
    const auto address = transport::parse_address(text);
    return address && address->kind == transport::Address::Kind::kTls;
  };
  return std::ranges::any_of(config.server.listen, wants_tls) ||
         std::ranges::any_of(config.server.http_listen, wants_tls);
}

std::string_view tls_option(const transport::TlsFiles& files) {
  if (!files.certificate.empty()) return "tls-certificate";
  return files.key.empty() ? "tls-client-ca" : "tls-key";
}

std::string time_text(const ASN1_TIME* time) {
  std::tm parts{};
  std::array<char, sizeof("2026-03-01T09:30:00Z")> text{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
  return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &parts)};
}

// Returns what clients will not like about the certificate. Empty if clients that trust its signer can trust
// it now.
std::string certificate_warning(const Config& config, transport::TlsContext& tls) {
  const X509* certificate = SSL_CTX_get0_certificate(tls.context().native_handle());
  const std::string file = "tls-certificate: '" + config.tls.certificate.string() + "' ";
  const ASN1_TIME* begin = X509_get0_notBefore(certificate);
  const ASN1_TIME* end = X509_get0_notAfter(certificate);
  if (X509_cmp_current_time(end) < 0) return file + "expired at " + time_text(end);
  if (X509_cmp_current_time(begin) > 0) return file + "is not valid before " + time_text(begin);
  return {};
}

Result<std::shared_ptr<transport::TlsContext>> load_tls(const Config& config) {
  const auto& files = config.tls;
  const bool listens = listens_with_tls(config);
  if (!listens && files == transport::TlsFiles{}) return nullptr;
  if (!listens)
    return fail(ErrorCode::kInvalidArgument,
                std::string(tls_option(files)) +
                    ": the server listens on no address that begins with tls://; give --listen or "
                    "--http-listen tls://HOST:PORT");
  if (files.certificate.empty()) return fail(ErrorCode::kInvalidArgument, "tls-certificate: no file is set");
  if (files.key.empty()) return fail(ErrorCode::kInvalidArgument, "tls-key: no file is set");
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
  if (credentials.tls) {
    if (auto warning = certificate_warning(config, *credentials.tls); !warning.empty())
      credentials.warnings.push_back(std::move(warning));
  }
  return credentials;
}

}  // namespace holdfast::server
