#include "server/http/exchange/exchange.h"

#include <utility>

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

unsigned status_of(const Error& error) { return static_cast<unsigned>(error_info(error.code).http_status); }

}  // namespace

HttpRefusal::HttpRefusal(Error why) : HttpRefusal(status_of(why), std::move(why)) {}

HttpResponse empty_response(unsigned status) {
  HttpResponse response;
  response.result(status);
  response.set(http::field::cache_control, "no-store");
  return response;
}

HttpResponse text_response(unsigned status, std::string_view content_type, std::string body) {
  HttpResponse response = empty_response(status);
  response.set(http::field::content_type, as_beast(content_type));
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
  const bool is_for_later = response.result() == http::status::too_many_requests ||
                            response.result() == http::status::service_unavailable;
  if (is_for_later) response.set(http::field::retry_after, "1");
  return response;
}

HttpResponse problem(const Error& error, const Json& more) { return problem(status_of(error), error, more); }

}  // namespace holdfast::server
