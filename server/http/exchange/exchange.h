// A whole request and its answer.
#pragma once

#include <kj/async.h>

#include <algorithm>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "holdfast/error.h"
#include "server/delivery/pending_deliveries.h"
#include "server/http/json/json_values.h"

namespace holdfast::server {

using HttpRequest = boost::beast::http::request<boost::beast::http::string_body>;
using HttpResponse = boost::beast::http::response<boost::beast::http::string_body>;

// Convert between the string views of both libraries.
inline std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }
inline boost::beast::string_view as_beast(std::string_view text) { return {text.data(), text.size()}; }

// Returns the text without the white space that HTTP allows around a value (RFC 9110, 5.6.3).
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// Returns the path of a request's target, without its query.
inline std::string_view path_of(const HttpRequest& request) {
  const std::string_view target = view(request.target());
  return target.substr(0, target.find('?'));
}

// BodySource is a body that is made while it is sent.
class BodySource {
 public:
  virtual ~BodySource() noexcept(false) = default;  // KJ's destructors may throw

  // Returns the next part; an empty part is the end. Dropping the promise drops what it waits for. Never
  // fails.
  virtual kj::Promise<std::string> next() = 0;

  // It is called instead of next() if the client has gone when the operating system had taken `bytes` of the
  // last part.
  virtual void cut_off(std::size_t bytes) { (void)bytes; }
};

struct HttpAnswer {
  HttpAnswer(HttpResponse whole) : response(std::move(whole)) {}
  HttpAnswer(HttpResponse head, kj::Own<BodySource> body) : response(std::move(head)), rest(kj::mv(body)) {}

  HttpResponse response;
  kj::Own<BodySource> rest = {};              // null if the response is whole
  kj::Own<UnsentDeliveries> deliveries = {};  // what a whole response delivers; null if it delivers nothing
};

HttpResponse text_response(unsigned status, std::string_view content_type, std::string body);
HttpResponse json_response(unsigned status, const Json& body);
HttpResponse empty_response(unsigned status);

// An HttpRefusal says why a request is not answered, with the HTTP status for it: the status of the error
// table, unless a better one is given.
struct HttpRefusal {
  explicit HttpRefusal(Error why);
  HttpRefusal(unsigned better, Error why) : status(better), error(std::move(why)) {}

  unsigned status;
  Error error;
};

// Make problem details (RFC 9457). The status is that of the error table, or `status`. `more` is an object
// with further members.
HttpResponse problem(const Error& error, const Json& more = Json::object());
HttpResponse problem(unsigned status, const Error& error, const Json& more = Json::object());

}  // namespace holdfast::server
