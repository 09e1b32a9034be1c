// The resources of the HTTP API, and the call of the protocol for each method on a resource.
#pragma once

#include <boost/beast/http/verb.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace holdfast::server {

// How a request becomes a call's parameters, and the reply an answer. For all kinds, the names in braces in
// the path and the query are fields of the parameters.
enum class RouteKind : std::uint8_t {
  kJson,       // the body, if there is one, is an object of fields
  kSendBatch,  // as kJson, and entries that failed have no ids in the answer
  kSendRaw,    // the body is that of one message, and headers have the rest of the message
  kReceive,    // the answer may be the body of one message, if the Accept header says so
  kStream,     // the answer goes on for as long as the client listens: server-sent events
  // The call only says whether the caller may listen; the answer is what happens: server-sent events.
  kEvents,
  kSettleOne,  // the path names the one receipt, and the answer is that entry's outcome
};

struct Route {
  boost::beast::http::verb method;
  std::string_view path;  // "/v1/queues/{queue}/messages"
  std::string_view call;  // the name in the protocol
  std::string_view summary;
  RouteKind kind = RouteKind::kJson;
  // The struct among the parameters that the body is. If empty, the body is all parameters.
  std::string_view body_field = {};
  unsigned success = 200;
};

std::span<const Route> routes();

// Returns Holdfast's own headers that mean something to the route's requests.
std::vector<std::string_view> headers_of(const Route& route);

// Returns whether the route's answers have ETags, so that a client that has the same answer already is told
// so.
bool is_tagged(const Route& route);

// Returns the statuses below 400 that the route has for success.
std::vector<unsigned> successes_of(const Route& route);

// A route, and the values of the names in its path.
struct Match {
  const Route* route;
  std::map<std::string, std::string> names;
};

// The methods that a path has, for the Allow header. There is at least one.
using OtherMethods = std::vector<boost::beast::http::verb>;

// Finds a route. `path` is percent-encoded and has no query. Returns nothing if there is no such resource, or
// if the path is badly encoded.
std::optional<std::variant<Match, OtherMethods>> find_route(boost::beast::http::verb method,
                                                            std::string_view path);

}  // namespace holdfast::server
