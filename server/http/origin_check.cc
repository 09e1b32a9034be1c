#include "server/http/origin_check.h"

#include "schema/http/status.h"

#include <algorithm>

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

bool is_preflight(const HttpRequest& request) {
  return request.method() == http::verb::options &&
         request.find(http::field::access_control_request_method) != request.end();
}

// Returns whether the user follows a link to a page of the dashboard. This is the only request that a page of
// another site may have a browser make.
bool is_link(const HttpRequest& request) {
  return request.method() == http::verb::get && view(request["Sec-Fetch-Mode"]) == "navigate" &&
         view(request["Sec-Fetch-Dest"]) == "document" && !view(request.target()).starts_with("/v1");
}

// Returns whether the browser says that a page of another origin makes this request. Such a page need not
// send an Origin: a GET without CORS has none. A GET has no effects here, and the page cannot read the
// answer, but the browser tells the page whether there was an answer that could be shown. Over TLS and to
// this machine, browsers say of every request where it comes from, so such a GET is not answered there.
// Elsewhere, seal() protects the answer.
bool is_of_another_page(const HttpRequest& request) {
  const std::string_view site = view(request["Sec-Fetch-Site"]);
  return (site == "cross-site" || site == "same-site") && !is_link(request);
}

HttpRefusal refuse_other_pages() {
  return HttpRefusal(
      {ErrorCode::kPermissionDenied, "pages of other origins may not use this server: see http-cors-origin"});
}

}  // namespace

bool OriginCheck::is_named(std::string_view origin) const {
  return std::ranges::find(origins_, origin) != origins_.end();
}

std::optional<HttpRefusal> OriginCheck::refusal(const HttpRequest& request, bool tls) const {
  const std::string_view host = view(request[http::field::host]);
  if (!hosts_.allow(host)) {
    return HttpRefusal{
        http_status::kMisdirected,
        {ErrorCode::kPermissionDenied, "the Host header does not name this server: see http-host"}};
  }
  const std::string_view origin = view(request[http::field::origin]);
  if (origin.empty()) return is_of_another_page(request) ? std::optional(refuse_other_pages()) : std::nullopt;
  const std::string own = (tls ? "https://" : "http://") + std::string(host);
  return origin == own || is_named(origin) ? std::nullopt : std::optional(refuse_other_pages());
}

std::optional<HttpResponse> OriginCheck::preflight(const HttpRequest& request) const {
  const std::string_view origin = view(request[http::field::origin]);
  if (!is_named(origin) || !is_preflight(request)) return std::nullopt;
  HttpResponse response = empty_response(http_status::kNoContent);
  response.set(http::field::access_control_allow_methods, "GET, POST, PUT, PATCH, DELETE");
  response.set(http::field::access_control_allow_headers,
               request[http::field::access_control_request_headers]);
  response.set(http::field::access_control_max_age, "600");
  return response;
}

void OriginCheck::allow(std::string_view origin, HttpResponse& response) const {
  if (origin.empty() || !is_named(origin)) return;
  response.set(http::field::access_control_allow_origin, as_beast(origin));
  response.set(http::field::access_control_expose_headers, "*");
  response.set(http::field::vary, "Origin");
}

void OriginCheck::seal(HttpResponse& response) {
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("X-Frame-Options", "DENY");
}

}  // namespace holdfast::server
