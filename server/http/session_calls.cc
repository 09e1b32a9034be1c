#include "server/http/session_calls.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/request_json.h"
#include "schema/http/status.h"

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kPageHeader = "Holdfast-Request";

std::string_view field(const HttpRequest& request, std::string_view name) {
  return view(request[as_beast(name)]);
}

// Returns the cookie's name. Browsers share cookies between all ports of a host, so the name contains the
// port: each server has its own cookie. A cookie whose name begins with __Host- can be set by no other host
// (RFC 6265bis, 4.1.3.2), but it requires TLS.
std::string cookie_name(const HttpRequest& request, bool tls) {
  const std::string_view host = view(request[http::field::host]);
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  return std::string(tls ? "__Host-" : "") + "holdfast-session" +
         (has_port ? "-" + std::string(host.substr(colon + 1)) : "");
}

// Returns the ids in all cookies of this name, in however many lines the browser sends them. A page of
// another host of the same site can have added a cookie, even an empty one.
std::vector<std::string> session_ids(const HttpRequest& request, bool tls) {
  const std::string wanted = cookie_name(request, tls) + "=";
  std::vector<std::string> ids;
  const auto [begin, end] = request.equal_range(http::field::cookie);
  for (auto line = begin; line != end; ++line) {
    std::string_view rest = view(line->value());
    while (!rest.empty()) {
      const std::size_t length = std::min(rest.find(';'), rest.size());
      const std::string_view cookie = trimmed(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
      if (cookie.starts_with(wanted)) ids.emplace_back(cookie.substr(wanted.size()));
    }
  }
  return ids;
}

bool asks_for_events(const HttpRequest& request) {
  return request.method() == http::verb::get && path_of(request) == "/v1/events";
}

// Returns whether something says that one of this server's pages makes the request. An Origin does not
// always: a GET without CORS has none. Sec-Fetch-Site does not always either: browsers send it only over TLS
// and to this machine.
bool is_of_own_page(const HttpRequest& request, bool tls) {
  const std::string_view origin = view(request[http::field::origin]);
  const std::string own = (tls ? "https://" : "http://") + std::string(view(request[http::field::host]));
  const std::string_view site = field(request, "Sec-Fetch-Site");
  if (!origin.empty() && origin != own) return false;
  if (!site.empty()) return site == "same-origin" || site == "none";
  return !origin.empty() || !field(request, kPageHeader).empty() || asks_for_events(request);
}

bool changes_something(const HttpRequest& request) {
  return request.method() != http::verb::get && request.method() != http::verb::head;
}

// Checks whether the request may use the session that its cookie names.
Result<void> check_page(const HttpRequest& request, bool tls) {
  if (!is_of_own_page(request, tls))
    return fail(
        ErrorCode::kPermissionDenied,
        "a session works only for pages of this server, and nothing shows that this request comes from one");
  if (changes_something(request) && field(request, kPageHeader).empty()) {
    return fail(ErrorCode::kPermissionDenied,
                "with a session cookie, a request that changes something needs the header Holdfast-Request");
  }
  return {};
}

HttpResponse with_cookie(const HttpRequest& request, const std::string& value, std::string_view more,
                         bool tls) {
  HttpResponse response = empty_response(http_status::kNoContent);
  std::string cookie = cookie_name(request, tls) + "=" + value + "; Path=/; HttpOnly; SameSite=Strict";
  if (tls) cookie += "; Secure";
  response.set(http::field::set_cookie, cookie + std::string(more));
  return response;
}

}  // namespace

bool is_sign_in(const HttpRequest& head) {
  const std::string_view said = view(head[http::field::content_length]);
  std::size_t bytes = 0;
  const auto read = std::from_chars(said.data(), said.data() + said.size(), bytes);
  return head.method() == http::verb::post && path_of(head) == kSessionPath && read.ec == std::errc() &&
         bytes <= kSignInBytes;
}

bool is_sign_out(const HttpRequest& head, Sessions& sessions, bool tls) {
  if (head.method() != http::verb::delete_ || path_of(head) != kSessionPath) return false;
  const auto now = std::chrono::steady_clock::now();
  return std::ranges::any_of(session_ids(head, tls),
                             [&](const std::string& id) { return !sessions.token_of(id, now).empty(); });
}

Result<std::string> session_token(const HttpRequest& request, Sessions& sessions, bool tls) {
  const std::vector<std::string> ids = session_ids(request, tls);
  // The server cannot tell which of the cookies it has set, and somebody else's session must not be taken for
  // the user's.
  if (ids.size() > 1)
    return fail(
        ErrorCode::kPermissionDenied,
        "the browser has several session cookies for this server, so another page has set one: delete "
        "the cookies of this site, and sign in again");
  if (ids.empty() || ids.front().empty()) return std::string();
  if (auto ok = check_page(request, tls); !ok) return tl::unexpected(ok.error());
  return sessions.token_of(ids.front(), std::chrono::steady_clock::now());
}

SessionLifeline session_lifeline(const HttpRequest& request, Sessions& sessions, bool tls) {
  const std::vector<std::string> ids = session_ids(request, tls);
  return ids.size() == 1 ? sessions.lifeline_of(ids.front()) : SessionLifeline();
}

Result<std::string> read_sign_in(const HttpRequest& request) {
  const auto body = parse_request_json(request.body());
  if (!body || !body->is_object() || body->size() != 1 || !body->contains("token") ||
      !(*body)["token"].is_string())
    return fail(ErrorCode::kInvalidArgument, "the body must be {\"token\": \"...\"}");
  return (*body)["token"].get<std::string>();
}

HttpResponse signed_in(const HttpRequest& request, const std::string& id, bool tls) {
  return with_cookie(request, id, "", tls);
}

HttpResponse sign_out(const HttpRequest& request, Sessions& sessions, bool tls) {
  const std::vector<std::string> ids = session_ids(request, tls);
  if (!ids.empty()) {
    if (auto ok = check_page(request, tls); !ok) return problem(ok.error());
  }
  for (const std::string& id : ids) sessions.close(id);
  return with_cookie(request, "", "; Max-Age=0", tls);
}

HttpResponse describe_session(const Rights* rights, bool is_controlled) {
  Json body = {{"controlled", is_controlled}, {"signedIn", rights != nullptr}};
  if (rights != nullptr) {
    body["name"] = rights->name;
    body["grants"] = Json::array();
    for (const Grant& grant : rights->grants) body["grants"].push_back(to_string(grant));
    body["hidden"] = {{"bodies", rights->hidden.bodies}, {"attributes", rights->hidden.attributes}};
  }
  return json_response(http_status::kOk, body);
}

Json session_path_item() {
  const Json text = {{"type", "string"}};
  const Json flag = {{"type", "boolean"}};
  const Json texts = {{"type", "array"}, {"items", text}};
  const Json hidden = {{"type", "object"},
                       {"properties", {{"bodies", flag}, {"attributes", texts}}},
                       {"required", {"bodies", "attributes"}}};
  const Json session = {
      {"type", "object"},
      {"properties",
       {{"controlled", flag}, {"signedIn", flag}, {"name", text}, {"grants", texts}, {"hidden", hidden}}},
      {"required", {"controlled", "signedIn"}}};
  const Json token = {{"type", "object"},
                      {"properties", {{"token", text}}},
                      {"required", {"token"}},
                      {"additionalProperties", false}};
  const Json problem = {{"$ref", "#/components/responses/Problem"}};
  const Json done = {{"204", {{"description", "It is done"}}}, {"4XX", problem}, {"5XX", problem}};
  const auto json = [](const Json& schema) { return Json{{"application/json", {{"schema", schema}}}}; };
  return {{"get",
           {{"operationId", "describeSession"},
            {"summary", "Who the caller is, and what the token grants"},
            {"tags", {"operations"}},
            {"responses",
             {{"200", {{"description", "It is done"}, {"content", json(session)}}},
              {"4XX", problem},
              {"5XX", problem}}}}},
          {"post",
           {{"operationId", "signIn"},
            {"summary", "Opens a session for a browser: the token's rights, by a cookie"},
            {"tags", {"operations"}},
            {"requestBody", {{"required", true}, {"content", json(token)}}},
            {"responses", done}}},
          {"delete",
           {{"operationId", "signOut"},
            {"summary", "Ends the session"},
            {"tags", {"operations"}},
            {"responses", done}}}};
}

}  // namespace holdfast::server
