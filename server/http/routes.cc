#include "server/http/routes.h"

#include <algorithm>
#include <ostream>  // Beast prints verbs to a stream, which it only declares

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/bytes.h"
#include "schema/http/status.h"
#include "schema/protocol/protocol_methods.h"
#include "server/http/exchange/query.h"
#include "server/http/exchange/raw_message.h"

namespace holdfast::server {
namespace {

using boost::beast::http::verb;

// The annotation `route` of schema/http.capnp, for which Cap'n Proto generates no name.
constexpr std::uint64_t kRoute = 0xa2f6d3b18c40e597;

// The route's texts live as long as the program, since they are part of the compiled schema.
Route route_of(capnp::InterfaceSchema::Method method, wire::Route::Reader declared) {
  const auto make = [&](verb verb, capnp::Text::Reader path) {
    return Route{.method = verb,
                 .path = convert::view(path),
                 .call = convert::view(method.getProto().getName()),
                 .summary = convert::view(declared.getSummary()),
                 .kind = declared.getKind(),
                 .body_field = convert::view(declared.getBodyField()),
                 .success = declared.getSuccess()};
  };
  switch (declared.which()) {
    case wire::Route::GET:
      return make(verb::get, declared.getGet());
    case wire::Route::PUT:
      return make(verb::put, declared.getPut());
    case wire::Route::POST:
      return make(verb::post, declared.getPost());
    case wire::Route::PATCH:
      return make(verb::patch, declared.getPatch());
    case wire::Route::DELETE:
      return make(verb::delete_, declared.getDelete());
  }
  KJ_UNREACHABLE;
}

std::vector<Route> read_routes() {
  std::vector<Route> all;
  for (auto method : protocol::methods()) {
    for (auto mark : method.getProto().getAnnotations()) {
      if (mark.getId() != kRoute) continue;
      all.push_back(route_of(method, mark.getValue().getStruct().getAs<wire::Route>()));
    }
  }
  return all;
}

using Segments = std::vector<std::string_view>;

Segments split(std::string_view path) {
  Segments segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

// Returns the segments of each route's path. They are made once.
const std::vector<Segments>& patterns() {
  static const auto made = [] {
    std::vector<Segments> all;
    for (const Route& route : routes()) all.push_back(split(route.path));
    return all;
  }();
  return made;
}

bool is_name(std::string_view segment) { return segment.starts_with('{'); }

// Returns whether a path fits. Routes that fit literally are preferred: "/v1/deliveries/ack" is not the
// receipt "ack".
bool fits(const Segments& pattern, const Segments& path, bool literally) {
  return std::ranges::equal(pattern, path, [literally](std::string_view wanted, std::string_view got) {
    return wanted == got || (!literally && is_name(wanted) && !got.empty());
  });
}

std::optional<std::map<std::string, std::string>> names_in(const Route& route, const Segments& path) {
  std::map<std::string, std::string> names;
  const Segments pattern = split(route.path);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (!is_name(pattern[i])) continue;
    auto value = decode_percent(path[i]);
    if (!value) return std::nullopt;
    names.emplace(pattern[i].substr(1, pattern[i].size() - 2), *std::move(value));
  }
  return names;
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> made = read_routes();
  return made;
}

std::vector<std::string_view> headers_of(const Route& route) {
  return route.kind == RouteKind::SEND_RAW ? raw_message_headers() : std::vector<std::string_view>();
}

bool is_tagged(const Route& route) { return route.method == verb::get && route.kind == RouteKind::JSON; }

std::vector<unsigned> successes_of(const Route& route) {
  std::vector<unsigned> statuses = {route.success};
  if (route.method == verb::put) statuses.push_back(http_status::kCreated);  // something new was created
  if (route.kind == RouteKind::RECEIVE)
    statuses.push_back(http_status::kNoContent);  // one message was asked for, and there is none
  if (route.kind == RouteKind::SEND_BATCH) statuses.push_back(http_status::kOk);  // the batch was empty
  if (is_tagged(route)) statuses.push_back(http_status::kNotModified);
  return statuses;
}

std::optional<std::variant<Match, OtherMethods>> find_route(verb method, std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  const Segments segments = split(path);
  const auto all = routes();
  for (const bool literally : {true, false}) {
    OtherMethods others;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Route& route = all[i];
      if (!fits(patterns()[i], segments, literally)) continue;
      if (route.method != method) {
        others.push_back(route.method);
        continue;
      }
      auto names = names_in(route, segments);
      if (!names) return std::nullopt;
      return Match{&route, *std::move(names)};
    }
    if (!others.empty()) return others;
  }
  return std::nullopt;
}

}  // namespace holdfast::server
