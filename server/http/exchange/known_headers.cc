#include "server/http/exchange/known_headers.h"

#include <algorithm>
#include <array>
#include <boost/beast/core/string.hpp>

namespace holdfast::server {
namespace {

constexpr std::string_view kOwnPrefix = "Holdfast-";
constexpr std::string_view kOfPages = "Holdfast-Request";
// This is the only one of Holdfast's headers that is a list.
constexpr std::string_view kListHeader = "Holdfast-Attribute";
constexpr auto kNeverEmpty =
    std::to_array<std::string_view>({"If-Match", "If-None-Match", "Idempotency-Key"});

bool is_same(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

bool is_own(std::string_view name) {
  return name.size() >= kOwnPrefix.size() && is_same(name.substr(0, kOwnPrefix.size()), kOwnPrefix);
}

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::any_of(names, [name](std::string_view one) { return is_same(one, name); });
}

}  // namespace

Result<void> check_headers(const HttpRequest& request, std::span<const std::string_view> known) {
  const std::string_view coding = view(request[boost::beast::http::field::content_encoding]);
  if (!coding.empty() && !is_same(coding, "identity"))
    return fail(ErrorCode::kInvalidArgument, "Content-Encoding: encoded bodies are not accepted");
  for (const auto& field : request) {
    const std::string_view name = view(field.name_string());
    if (is_own(name) && !is_same(name, kOfPages) && !is_among(known, name)) {
      return fail(ErrorCode::kInvalidArgument,
                  std::string(name) + ": this request does not take this header");
    }
    if (field.value().empty() && is_among(kNeverEmpty, name))
      return fail(ErrorCode::kInvalidArgument, std::string(name) + ": is empty");
    const bool has_one_value = is_own(name) && !is_same(name, kListHeader);
    if (has_one_value && request.count(field.name_string()) > 1)
      return fail(ErrorCode::kInvalidArgument, std::string(name) + ": there is more than one");
  }
  return {};
}

}  // namespace holdfast::server
