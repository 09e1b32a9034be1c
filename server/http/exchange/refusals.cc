#include "server/http/exchange/refusals.h"

#include "schema/http/status.h"

#include <string>

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

}  // namespace

HttpResponse no_such_method(const std::vector<http::verb>& methods) {
  std::string allow;
  for (const http::verb method : methods)
    allow += (allow.empty() ? "" : ", ") + std::string(view(http::to_string(method)));
  HttpResponse response = problem(http_status::kMethodNotAllowed,
                                  {ErrorCode::kInvalidArgument, "this resource has only " + allow});
  response.set(http::field::allow, allow);
  return response;
}

Error error_of(const kj::Exception& why) {
  const bool is_overloaded = why.getType() == kj::Exception::Type::OVERLOADED;
  return {is_overloaded ? ErrorCode::kOverloaded : ErrorCode::kInternal, why.getDescription().cStr()};
}

}  // namespace holdfast::server
