#include "server/http/parameters.h"

#include <algorithm>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"
#include "schema/protocol/protocol_methods.h"

namespace holdfast::server {
namespace {

using boost::beast::http::verb;

// Headers say these, if the body has not all parameters: Idempotency-Key and If-Match.
constexpr std::string_view kRequestId = "requestId";
constexpr std::string_view kVersions = "ifVersion";

bool takes_json(const Route& route) {
  return route.method != verb::get && route.method != verb::delete_ && route.kind != RouteKind::SEND_RAW &&
         route.kind != RouteKind::RECEIVE && route.kind != RouteKind::STREAM;
}

// The body of one message leaves all else to headers.
bool takes_query(const Route& route) {
  return (!takes_json(route) || !route.body_field.empty()) && route.kind != RouteKind::SEND_RAW;
}

void collect(capnp::StructSchema schema, const Route& route, std::vector<const JsonField*>& to) {
  for (const JsonField& field : json_fields(schema)) {
    if (is_in_path(route, field.name) || field.name == kRequestId || field.name == kVersions) continue;
    if (field.name == route.body_field) continue;
    if (opens_in_query(field)) collect(field.field.getType().asStruct(), route, to);
    const bool fits =
        field.shape != Shape::kObject && field.shape != Shape::kNothing && field.shape != Shape::kNone;
    if (fits) to.push_back(&field);
  }
}

bool is_among(const std::vector<const JsonField*>& fields, std::string_view name) {
  return std::ranges::any_of(fields, [name](const JsonField* field) {
    return name == field->name || (holds_data(*field) && name == field->name + "Base64");
  });
}

// Says where a parameter belongs that is not where it was said. `what` is what it was taken for there.
tl::unexpected<Error> misplaced(const Route& route, std::string_view name, std::string_view what) {
  const std::string where(name);
  const auto belongs = [&](std::string_view place) {
    return fail(ErrorCode::kInvalidArgument, where + ": belongs in the " + std::string(place));
  };
  if (is_in_path(route, name)) return belongs("path");
  if (is_among(query_fields(route), name)) return belongs("query");
  if (is_among(body_fields(route), name)) return belongs("body");
  const auto parameters = parameters_of(route);
  if (name == kRequestId && find_field(body_struct(route), name) != nullptr)
    return belongs("header Idempotency-Key");
  if (name == kVersions && find_field(parameters, name) != nullptr) return belongs("header If-Match");
  const bool is_of_message = find_field(capnp::Schema::from<wire::Message>(), name) != nullptr ||
                             find_field(parameters, name) != nullptr;
  if (route.kind == RouteKind::SEND_RAW && is_of_message)
    return belongs("headers, since the body is that of the message");
  return fail(ErrorCode::kInvalidArgument, where + ": there is no such " + std::string(what));
}

}  // namespace

capnp::StructSchema parameters_of(const Route& route) {
  return protocol::methods()[protocol::method_number(route.call)].getParamType();
}

capnp::StructSchema body_struct(const Route& route) {
  const auto parameters = parameters_of(route);
  if (route.body_field.empty()) return parameters;
  return find_field(parameters, route.body_field)->field.getType().asStruct();
}

bool is_in_path(const Route& route, std::string_view name) {
  if (route.kind == RouteKind::SETTLE_ONE && name == "receipts") return true;
  return route.path.find("{" + std::string(name) + "}") != std::string_view::npos;
}

std::vector<const JsonField*> query_fields(const Route& route) {
  std::vector<const JsonField*> fields;
  if (takes_query(route)) collect(parameters_of(route), route, fields);
  return fields;
}

std::vector<const JsonField*> body_fields(const Route& route) {
  std::vector<const JsonField*> fields;
  if (!takes_json(route)) return fields;
  for (const JsonField& field : json_fields(body_struct(route))) {
    const bool is_elsewhere = route.body_field.empty() && is_in_path(route, field.name);
    if (!is_elsewhere) fields.push_back(&field);
  }
  return fields;
}

Result<void> check_in_query(const Route& route, std::string_view name) {
  if (is_among(query_fields(route), name)) return {};
  return misplaced(route, name, "parameter");
}

Result<void> check_in_body(const Route& route, std::string_view name) {
  const bool is_elsewhere = route.body_field.empty() && is_in_path(route, name);
  if (takes_json(route) && !is_elsewhere && find_field(body_struct(route), name) != nullptr) return {};
  return misplaced(route, name, "member");
}

}  // namespace holdfast::server
