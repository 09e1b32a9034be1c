// These targets read requests to the HTTP API: their targets, queries, conditions and bodies.
#include <capnp/message.h>
#include <capnp/schema.h>

#include "engine/base/time_text.h"
#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/request_json.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/protocol/protocol_methods.h"
#include "server/http/exchange/conditions.h"
#include "server/http/exchange/known_headers.h"
#include "server/http/exchange/query.h"
#include "server/http/exchange/raw_message.h"
#include "server/http/json/json_values.h"
#include "server/http/routes.h"
#include "tests/fuzz/parse_request.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {
namespace {

using namespace server;

capnp::StructSchema params_of(const Route& route) {
  return protocol::methods()[protocol::method_number(route.call)].getParamType();
}

// Returns whether a filter by time has no begin or no end. It is written with the earliest or the latest time
// then, whose years are not read.
bool has_endless_time(const std::string& json) {
  return json.find(format_time(Timestamp::min())) != std::string::npos ||
         json.find(format_time(Timestamp::max())) != std::string::npos;
}

// Checks that what was read is the same after it was written as JSON and read again.
void read_again(capnp::DynamicStruct::Reader read, capnp::StructSchema schema) {
  const Json json = write_json(read);
  capnp::MallocMessageBuilder message;
  auto again = message.initRoot<capnp::DynamicStruct>(schema);
  if (!read_json(json, again)) {
    require(has_endless_time(dump_json(json)), "what was read is not read again");
    return;
  }
  require(write_json(again.asReader()) == json, "what was read again is something else");
}

bool read_parameters(const Match& match, const HttpRequest& request) {
  const capnp::StructSchema schema = params_of(*match.route);
  capnp::MallocMessageBuilder message;
  auto params = message.initRoot<capnp::DynamicStruct>(schema);
  const auto query = parse_query(view(request.target()));
  if (!query) return false;
  for (const auto& [name, values] : *query) {
    if (!read_query(name, values, params)) return false;
  }
  if (!check_headers(request, headers_of(*match.route)) || !read_conditions(request, params)) return false;
  if (match.route->kind == RouteKind::SEND_RAW) return read_raw_message(request, params).has_value();
  if (!request.body().empty()) {
    const auto body = parse_request_json(request.body());
    if (!body || !read_json(*body, params)) return false;
  }
  read_again(params.asReader(), schema);
  return true;
}

std::string request(std::string_view line, std::string_view headers, std::string_view body) {
  return std::string(line) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace

bool run_http(std::string_view input) {
  const auto request = parse_request(input);
  if (!request) return false;
  (void)is_known(*request, "\"tag\"");
  const auto found = find_route(request->method(), path_of(*request));
  if (!found || !std::holds_alternative<Match>(*found)) return false;
  return read_parameters(std::get<Match>(*found), *request);
}

std::vector<std::string> http_seeds() {
  return {
      request("PATCH /v1/queues/orders", "If-Match: W/\"a\", \"b.1\"\r\n",
              R"({"lease": "1h30m", "maxLength": 7, "retry": {"kind": "stages", "stages": [1, "2s"]}})"),
      request("POST /v1/queues/a%2Fb/messages",
              "Holdfast-Attribute: a=b%2C, c=d\r\nHoldfast-Delay: 500ms\r\nHoldfast-Priority: 1\r\n", "body"),
      request("POST /v1/queues/orders/messages/batch", "",
              R"({"messages": [{"bodyBase64": "/w==", "attributes": [{"name": "n", "value": "v"}],
                  "visibleAt": "2026-03-01T09:30:00Z"}]})"),
      request("GET /v1/queues/q/dead-letters?category=%b3&diedBefore=2026-03-01T09:30:00Z", "", ""),
      request("GET /v1/queues/q/dead-letters?category=a+b&bodies=true&diedBefore=2026-03-01T09:30:00Z&max=5",
              "", ""),
      request("GET http://localhost:80/v1/queues/a/messages?max=1", "If-None-Match: \"a\"\r\n", ""),
      request("POST /v1/dead-letters/find", "",
              R"({"filter": {"attributes": [{"name": "a", "value": "b"}]}})"),
  };
}

}  // namespace holdfast::fuzz
