// This header handles signing in with a browser: /v1/session and its cookie.
//
// The cookie holds the id of a session (server/access/sessions.h). Scripts cannot read it, and other sites
// cannot make a browser send it. But pages of other ports and of other hosts of the same site can, so a
// cookie counts only if something says that a page of this very port asks: `Sec-Fetch-Site`, `Origin`, or the
// header `Holdfast-Request`, which only such a page can set. Requests that change something need that header
// anyway. The stream of events is an exception: a browser's EventSource sets no header, and another page's
// has an `Origin`.
#pragma once

#include <optional>
#include <string>

#include "server/access/rights.h"
#include "server/access/sessions.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

constexpr std::string_view kSessionPath = "/v1/session";
// kSignInBytes is the most bytes of a body that is read before its sender is known.
constexpr std::size_t kSignInBytes = 1024;

// Returns whether the request is a sign-in, which is read from clients without a token too.
bool is_sign_in(const HttpRequest& head);

// Returns whether the request would end a session that exists. Its client is no stranger, even if it has
// other cookies too, with which nothing else is done.
bool is_sign_out(const HttpRequest& head, Sessions& sessions, bool tls);

// Returns the token of the session that the request's cookie names; an empty text without a cookie.
// kPermissionDenied for a cookie that does not count, and for several cookies.
Result<std::string> session_token(const HttpRequest& request, Sessions& sessions, bool tls);
// Returns the lifeline of the session that session_token() found.
SessionLifeline session_lifeline(const HttpRequest& request, Sessions& sessions, bool tls);

// Returns the token that wants to sign in. kInvalidArgument.
Result<std::string> read_sign_in(const HttpRequest& request);

// These make the answers. signed_in() sets a cookie for a new session. sign_out() takes the cookie away, and
// ends every session that a cookie names, unless another page asks. describe_session() says who the caller is
// and what it may do.
HttpResponse signed_in(const HttpRequest& request, const std::string& id, bool tls);
HttpResponse sign_out(const HttpRequest& request, Sessions& sessions, bool tls);
// `rights` is null for a caller that has shown none. `is_controlled` says whether there are tokens at all.
HttpResponse describe_session(const Rights* rights, bool is_controlled);

// Returns the path's item in the OpenAPI document.
Json session_path_item();

}  // namespace holdfast::server
