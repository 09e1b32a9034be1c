// Signing in with a browser: /v1/session, and the cookie that comes of it.
//
// The cookie holds the id of a session (server/access/sessions.h). Scripts cannot read it, and other sites
// cannot have it sent. Pages of other ports and of other hosts of the same site can though, so a cookie
// counts only where something says that a page of this very port asks: `Sec-Fetch-Site`, `Origin`, or the
// header `Holdfast-Request`, which only such a page can set. What changes something needs that header anyway.
// The stream of events is excepted: a browser's EventSource sets no header, and another page's has an
// `Origin`.
#pragma once

#include <optional>
#include <string>

#include "server/access/rights.h"
#include "server/access/sessions.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

constexpr std::string_view kSessionPath = "/v1/session";
constexpr std::size_t kSignInBytes = 1024;  // of the body that may come before anybody knows who sends it

// Whether it is a sign-in, which clients without a token may have read.
bool is_sign_in(const HttpRequest& head);

// Whether it would end a session that there is. Its client is no stranger, though it may have other cookies
// beside it, with which nothing else is done.
bool is_sign_out(const HttpRequest& head, Sessions& sessions, bool tls);

// The token of the session that the request's cookie names; empty without one. kPermissionDenied for a cookie
// that does not count, and for several.
Result<std::string> session_token(const HttpRequest& request, Sessions& sessions, bool tls);

// The token that wants to sign in. kInvalidArgument.
Result<std::string> read_sign_in(const HttpRequest& request);

// Answers: a cookie for a new session; one that takes it away again, with every session ended that a cookie
// names, unless another page asks; who the caller is and what he may do.
HttpResponse signed_in(const HttpRequest& request, const std::string& id, bool tls);
HttpResponse sign_out(const HttpRequest& request, Sessions& sessions, bool tls);
// `rights`: null for a caller that has shown none. `is_controlled`: whether there are tokens at all.
HttpResponse describe_session(const Rights* rights, bool is_controlled);

// The path's item in the OpenAPI document.
Json session_path_item();

}  // namespace holdfast::server
