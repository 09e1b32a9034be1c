// The resources of the HTTP API, and the call of the protocol that each method on one is.
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

// How a request becomes the call's parameters and its reply the answer, beside what all have in common: the
// names in braces of the path, and the query, are fields of the parameters.
enum class RouteKind : std::uint8_t {
  kJson,       // the body, if there is one, is an object of fields
  kSendBatch,  // likewise; entries that failed have no ids in the answer
  kSendRaw,    // the body is that of one message, the rest of it is in headers
  kReceive,    // the answer may be the body of one message, as the Accept header says
  kStream,     // the answer goes on for as long as the client listens: server-sent events
  kEvents,     // the call only says whether the caller may; the answer is what happens: server-sent events
  kSettleOne,  // the path names the one receipt; an entry that failed is the answer
};

struct Route {
  boost::beast::http::verb method;
  std::string_view path;  // "/v1/queues/{queue}/messages"
  std::string_view call;  // as the protocol names it
  std::string_view summary;
  RouteKind kind = RouteKind::kJson;
  std::string_view body_field = {};  // the struct among the parameters that the body is; empty: all of them
  unsigned success = 200;
};

std::span<const Route> routes();

// Those of Holdfast's own headers that mean something to its requests.
std::vector<std::string_view> headers_of(const Route& route);

// Whether its answers have ETags, and whoever has one of them already is told so.
bool is_tagged(const Route& route);

// The statuses, below 400, that a route has for what succeeded.
std::vector<unsigned> successes_of(const Route& route);

// A route, and what its path's names stand for in a request.
struct Match {
  const Route* route;
  std::map<std::string, std::string> names;
};

// The methods that a path has, for the Allow header: never empty.
using OtherMethods = std::vector<boost::beast::http::verb>;

// `path` is percent-encoded and has no query. Nothing if there is no such resource, or the path is badly
// encoded.
std::optional<std::variant<Match, OtherMethods>> find_route(boost::beast::http::verb method,
                                                            std::string_view path);

}  // namespace holdfast::server
