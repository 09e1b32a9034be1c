#include "server/http/exchange/exchange.h"

#include <utility>

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

constexpr unsigned kTooManyRequests = 429;
constexpr unsigned kUnavailable = 503;

}  // namespace

HttpResponse empty_response(unsigned status) {
  HttpResponse response;
  response.result(status);
  response.set(http::field::cache_control, "no-store");
  return response;
}

HttpResponse text_response(unsigned status, std::string_view content_type, std::string body) {
  HttpResponse response = empty_response(status);
  response.set(http::field::content_type,
               boost::beast::string_view(content_type.data(), content_type.size()));
  response.set("X-Content-Type-Options", "nosniff");
  response.body() = std::move(body);
  return response;
}

HttpResponse json_response(unsigned status, const Json& body) {
  return text_response(status, "application/json",
                       body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

HttpResponse problem(unsigned status, const Error& error, const Json& more) {
  const std::string_view code = error_info(error.code).name;
  Json body = {{"type", "urn:holdfast:error:" + std::string(code)},
               {"title", code},
               {"status", status},
               {"detail", error.message},
               {"code", code}};
  body.update(more);
  HttpResponse response = json_response(status, body);
  response.set(http::field::content_type, "application/problem+json");
  if (status == kTooManyRequests || status == kUnavailable) response.set(http::field::retry_after, "1");
  return response;
}

HttpResponse problem(const Error& error, const Json& more) {
  return problem(static_cast<unsigned>(error_info(error.code).http_status), error, more);
}

}  // namespace holdfast::server
