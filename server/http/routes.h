// The resources of the HTTP API, and the call of the protocol for each method on a resource: what the
// protocol says of its methods (schema/http.capnp), made ready to find the route of a request.
#pragma once

#include <boost/beast/http/verb.hpp>
#include <map>
#include <optional>
#include <ostream>  // verb.hpp of Boost 1.81 writes to a stream without this header
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "holdfast/wire/http.capnp.h"

namespace holdfast::server {

using wire::RouteKind;

struct Route {
  boost::beast::http::verb method;
  std::string_view path;  // "/v1/queues/{queue}/messages"
  std::string_view call;  // the call's name in the protocol
  std::string_view summary;
  RouteKind kind;
  std::string_view body_field;  // empty: the body is all parameters
  unsigned success;
};

std::span<const Route> routes();

// Returns Holdfast's own headers that mean something to the route's requests.
std::vector<std::string_view> headers_of(const Route& route);

// Returns whether the route's answers have ETags, so that a client that has the same answer already is told
// so.
bool is_tagged(const Route& route);

// Returns the statuses below 400 that the route has for success.
std::vector<unsigned> successes_of(const Route& route);

// Match is a route, and the values of the names in its path.
struct Match {
  const Route* route;
  std::map<std::string, std::string> names;
};

// OtherMethods are the methods that a path has, for the Allow header. There is at least one.
using OtherMethods = std::vector<boost::beast::http::verb>;

// Finds a route. `path` is percent-encoded and has no query. Returns nothing if there is no such resource, or
// if the path is badly encoded.
std::optional<std::variant<Match, OtherMethods>> find_route(boost::beast::http::verb method,
                                                            std::string_view path);

}  // namespace holdfast::server
