#include "server/sqs/signature.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <boost/url/pct_string_view.hpp>
#include <utility>

#include "server/signing/aws_signature.h"
#include "server/signing/digests.h"
#include "server/sqs/format/sqs_limits.h"

namespace holdfast::server::sqs {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kService = "sqs";
constexpr std::string_view kDateHeader = "x-amz-date";
constexpr std::string_view kTargetHeader = "x-amz-target";
constexpr std::size_t kDateDigits = 8;  // the date in "20150830T123600Z"

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Returns a field of "Credential=…, SignedHeaders=…, Signature=…".
std::string field_of(std::string_view fields, std::string_view name) {
  for (std::string_view field : split(fields, ',')) {
    field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
    if (field.starts_with(name)) return std::string(field.substr(name.size()));
  }
  return {};
}

// Reads the credential. A key id may contain slashes; the four parts of the scope after it do not.
bool read_credential(std::string_view credential, Authorization& to) {
  std::vector<std::string> parts = split(credential, '/');
  constexpr std::size_t kScope = 4;
  if (parts.size() <= kScope || parts.back() != aws::kTerminator) return false;
  const auto scope = parts.end() - kScope;
  for (auto part = parts.begin(); part != scope; ++part)
    to.access_key_id += (to.access_key_id.empty() ? "" : "/") + *part;
  to.date = scope[0];
  to.region = scope[1];
  to.service = scope[2];
  return true;
}

// --- the canonical form ---

// Returns the value without blanks around it, and with single blanks in it.
std::string trimmed(std::string_view value) {
  std::string text;
  for (const char c : value) {
    const bool is_blank = c == ' ' || c == '\t';
    if (is_blank && (text.empty() || text.back() == ' ')) continue;
    text += is_blank ? ' ' : c;
  }
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string header_of(const HttpRequest& request, const std::string& name) {
  std::string values;
  const auto [begin, end] = request.equal_range(as_beast(name));
  for (auto field = begin; field != end; ++field)
    values += (values.empty() ? "" : ",") + trimmed(view(field->value()));
  return values;
}

std::string encoded_anew(std::string_view text) {
  const auto part = boost::urls::make_pct_string_view({text.data(), text.size()});
  return part ? aws::percent_encoded(part->decode()) : std::string(text);
}

// Percent-encodes the path again, including what is encoded in it already.
std::string canonical_path(std::string_view path) {
  std::string all;
  for (const std::string& part : split(path, '/')) (all += aws::percent_encoded(part)) += '/';
  all.pop_back();
  return all;
}

std::string canonical_query(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos || mark + 1 == target.size()) return {};
  std::vector<std::pair<std::string, std::string>> fields;
  for (const std::string& field : split(target.substr(mark + 1), '&')) {
    const std::size_t sign = std::min(field.find('='), field.size());
    fields.emplace_back(encoded_anew(field.substr(0, sign)),
                        encoded_anew(field.substr(std::min(sign + 1, field.size()))));
  }
  std::ranges::sort(fields);
  std::string all;
  for (const auto& [name, value] : fields)
    all.append(all.empty() ? "" : "&").append(name).append("=").append(value);
  return all;
}

aws::Scope scope_of(const Authorization& authorization) {
  return {.date = authorization.date, .region = authorization.region, .service = authorization.service};
}

aws::SignedRequest signed_of(const HttpRequest& request, const Authorization& authorization) {
  aws::SignedRequest made{.method = std::string(view(request.method_string())),
                          .path = canonical_path(path_of(request)),
                          .query = canonical_query(view(request.target())),
                          .body_digest = sha256_hex(request.body())};
  for (const std::string& name : authorization.signed_headers)
    made.headers.emplace_back(name, header_of(request, name));
  return made;
}

// The nanoseconds of system_clock's own time points end in 2262, and a client may name any year up to 9999.
using Time = std::chrono::sys_time<std::chrono::microseconds>;

// Reads a time such as "20150830T123600Z". Returns nothing for any other text.
std::optional<Time> read_time(std::string_view text) {
  constexpr std::size_t kSize = 16;
  if (text.size() != kSize || text[8] != 'T' || text[15] != 'Z') return std::nullopt;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::ranges::all_of(text.substr(0, 8), is_digit) || !std::ranges::all_of(text.substr(9, 6), is_digit))
    return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char c : text.substr(at, digits)) value = value * 10 + (c - '0');
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(4, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(6, 2)))};
  const int hour = number(9, 2);
  const int minute = number(11, 2);
  const int second = number(13, 2);
  if (!day.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;  // 60 is a leap second
  return Time(std::chrono::sys_days(day)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

tl::unexpected<Fault> no_match(std::string message) {
  return refuse(FaultCode::kSignatureDoesNotMatch, std::move(message));
}

Outcome<void> check_time(const HttpRequest& request, const Authorization& authorization,
                         std::chrono::system_clock::time_point now) {
  const std::string_view said = view(request[as_beast(kDateHeader)]);
  const auto time = read_time(said);
  if (!time) return no_match("The header X-Amz-Date is missing or not a time.");
  if (said.substr(0, kDateDigits) != authorization.date)
    return no_match("The date in the credential is not the date of the request.");
  const Time here = std::chrono::time_point_cast<Time::duration>(now);
  if (*time < here - limits::kClockSkew || *time > here + limits::kClockSkew)
    return no_match("The request was signed more than 15 minutes ago, or later than now.");
  return {};
}

bool signs(const Authorization& authorization, std::string_view header) {
  return std::ranges::find(authorization.signed_headers, header) != authorization.signed_headers.end();
}

}  // namespace

std::optional<Authorization> read_authorization(const HttpRequest& head) {
  const std::string_view said = view(head[http::field::authorization]);
  if (!said.starts_with(aws::kAlgorithm)) return std::nullopt;
  const std::string_view fields = said.substr(aws::kAlgorithm.size());
  Authorization authorization;
  if (!read_credential(field_of(fields, "Credential="), authorization)) return std::nullopt;
  authorization.signed_headers = split(field_of(fields, "SignedHeaders="), ';');
  authorization.signature = field_of(fields, "Signature=");
  return authorization;
}

std::string canonical_request(const HttpRequest& request, const Authorization& authorization) {
  return aws::canonical_request(signed_of(request, authorization));
}

std::string signature_of(const HttpRequest& request, const Authorization& authorization,
                         std::string_view secret) {
  return aws::signature_of(signed_of(request, authorization), scope_of(authorization), secret);
}

Outcome<void> check_signature(const HttpRequest& request, const Authorization& authorization,
                              std::string_view secret, std::chrono::system_clock::time_point now) {
  if (authorization.service != kService) return no_match("The credential is for another service.");
  // These headers must be signed: changing one of them would turn a signed request into another one.
  const bool has_target = request.find(as_beast(kTargetHeader)) != request.end();
  if (!signs(authorization, "host") || !signs(authorization, kDateHeader) ||
      (has_target && !signs(authorization, kTargetHeader)))
    return no_match("The headers Host, X-Amz-Date and, where it is sent, X-Amz-Target must be signed.");
  if (auto ok = check_time(request, authorization, now); !ok) return ok;
  const std::string expected = signature_of(request, authorization, secret);
  const bool is_same = authorization.signature.size() == expected.size() &&
                       CRYPTO_memcmp(authorization.signature.data(), expected.data(), expected.size()) == 0;
  if (is_same) return {};
  return no_match(
      "The request signature that was calculated does not match the signature that was provided.");
}

}  // namespace holdfast::server::sqs
