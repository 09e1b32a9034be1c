#include "server/http/open_api.h"

#include <capnp/dynamic.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/queues/queue_options_conversion.h"
#include "schema/http/status.h"
#include "schema/protocol/protocol_methods.h"
#include "server/http/exchange/raw_message.h"
#include "server/http/json/json_fields.h"
#include "server/http/json/json_values.h"
#include "server/http/parameters.h"
#include "server/http/session_calls.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

constexpr std::string_view kComponents = "#/components/schemas/";

// Says whether a schema describes what clients send or what they are answered.
enum class Side : bool { kRequest, kReply };

// Returns the name of a struct's component: "message.capnp:Delivery" becomes Delivery. A struct that clients
// both send and get has two components, since they may differ in what is required.
std::string component_name(capnp::StructSchema schema, Side side) {
  const std::string_view display(schema.getProto().getDisplayName().cStr());
  std::string name(display.substr(display.rfind(':') + 1));
  std::ranges::replace(name, '.', '_');
  return side == Side::kReply || name.ends_with("Request") ? name : name + "Input";
}

class Document {
 public:
  Json make();

 private:
  Json path_item(std::string_view path);
  Json operation(const Route& route);
  void add_parameter(const JsonField& field, std::string_view place, Json& list);
  Json parameters(const Route& route, capnp::StructSchema params);
  Json request_body(const Route& route);
  Json content(const Route& route, capnp::StructSchema reply);
  Json responses(const Route& route, capnp::StructSchema reply);

  // `route` is given for the struct of all parameters of its call: those in its path are left out.
  Json reference(capnp::StructSchema schema, Side side, const Route* route = nullptr);
  Json object(capnp::StructSchema schema, Side side, const Route* route = nullptr);
  void add_member(const JsonField& field, Side side, Json& to);
  Json of_shape(Shape shape, capnp::Type type, Side side);
  Json of_field(const JsonField& field, Side side);

  struct Wanted {
    capnp::StructSchema schema;
    Side side;
    const Route* route;
  };
  std::vector<Wanted> wanted_;
  std::set<std::string> known_;
};

Json plain(capnp::Type type) {
  if (type.isBool()) return {{"type", "boolean"}};
  if (type.isText()) return {{"type", "string"}};
  if (type.isFloat64()) return {{"type", "number"}};
  if (!type.isEnum()) {
    const bool is_signed = type.which() == capnp::schema::Type::INT64;
    Json number = {{"type", "integer"}};
    if (!is_signed) number["minimum"] = 0;
    return number;
  }
  Json names = Json::array();
  for (auto enumerant : type.asEnum().getEnumerants()) names.push_back(enumerant.getProto().getName().cStr());
  return {{"type", "string"}, {"enum", names}};
}

Json Document::of_shape(Shape shape, capnp::Type type, Side side) {
  switch (shape) {
    case Shape::kPlain:
      return plain(type);
    case Shape::kDuration: {
      Json seconds = {{"type", "number"}, {"description", "Seconds"}};
      if (side == Side::kReply) return seconds;
      const Json text = {{"type", "string"}, {"description", "Such as 500ms, 30s, 5m, 1h30m or 2d"}};
      return {{"anyOf", {seconds, text}}};
    }
    case Shape::kTime:
      return {{"type", "string"}, {"format", "date-time"}};
    case Shape::kHex:
      return {{"type", "string"}, {"pattern", "^[0-9a-f]{16}$"}};
    case Shape::kPlace:
      return {{"type", "string"},
              {"pattern", "^[0-9]{1,20}$"},
              {"description", "A place in a queue: a number of 64 bits"}};
    case Shape::kMessageId:
      return {{"type", "string"}, {"format", "uuid"}};
    case Shape::kReceipt:
    case Shape::kOpaque:
      return {{"type", "string"}, {"description", "Opaque: hand it back unchanged"}};
    case Shape::kError:
      return {{"$ref", std::string(kComponents) + "Error"}};
    case Shape::kObject:
      return reference(type.asStruct(), side);
    default:
      return Json::object();
  }
}

// Writes the bounds of an option into the schema of its field, which clients send. A duration may also be a
// text, whose bounds no schema can say.
void add_bounds(const JsonField& field, Json& schema) {
  const auto bounds = convert::bounds_of(field.field);
  if (!bounds) return;
  const bool is_duration = field.shape == Shape::kDuration;
  Json& number = is_duration ? schema["anyOf"][0] : schema;
  number["minimum"] = is_duration ? write_duration(bounds->min) : Json(bounds->min);
  number["maximum"] = is_duration ? write_duration(bounds->max) : Json(bounds->max);
}

Json Document::of_field(const JsonField& field, Side side) {
  const capnp::Type type = field.field.getType();
  if (field.shape == Shape::kList)
    return {{"type", "array"}, {"items", of_shape(field.element, type.asList().getElementType(), side)}};
  if (field.shape == Shape::kChoice)
    return {{"anyOf", {of_field(value_of_choice(type.asStruct()), side), {{"type", "null"}}}}};
  if (field.shape == Shape::kObject && field.field.getProto().isGroup()) return object(type.asStruct(), side);
  if (field.shape == Shape::kData) return {{"type", "string"}};
  Json schema = of_shape(field.shape, type, side);
  if (side == Side::kRequest) add_bounds(field, schema);
  return schema;
}

// Adds a member for the field. Data have two names, of which a message has the one that fits.
void Document::add_member(const JsonField& field, Side side, Json& to) {
  if (field.shape == Shape::kNone || field.shape == Shape::kNothing) return;
  to[field.name] = of_field(field, side);
  if (holds_data(field)) to[field.name + "Base64"] = {{"type", "string"}, {"contentEncoding", "base64"}};
}

bool is_always_there(const JsonField& field) {
  const bool is_of_union =
      field.field.getProto().getDiscriminantValue() != capnp::schema::Field::NO_DISCRIMINANT;
  if (is_of_union) return false;
  if (field.shape == Shape::kPlain) return !field.field.getType().isText();
  return field.shape == Shape::kDuration || field.shape == Shape::kHex || field.shape == Shape::kPlace ||
         (field.shape == Shape::kObject && field.field.getProto().isGroup());
}

Json Document::object(capnp::StructSchema schema, Side side, const Route* route) {
  Json members = Json::object();
  Json required = Json::array();
  Json one_of_both = Json::array();
  for (const JsonField& field : json_fields(schema)) {
    if (route != nullptr && is_in_path(*route, field.name)) continue;
    add_member(field, side, members);
    const bool is_required = side == Side::kReply ? is_always_there(field) : field.is_required;
    if (!is_required) continue;
    if (!holds_data(field)) {
      required.push_back(field.name);
    } else {
      for (const char* form : {"", "Base64"})
        one_of_both.push_back({{"required", Json::array({field.name + form})}});
    }
  }
  Json object = {{"type", "object"}, {"properties", members}};
  if (!required.empty()) object["required"] = required;
  if (!one_of_both.empty()) object["anyOf"] = one_of_both;  // no struct has two required data
  if (side == Side::kRequest) object["additionalProperties"] = false;
  return object;
}

Json Document::reference(capnp::StructSchema schema, Side side, const Route* route) {
  const std::string name = component_name(schema, side);
  if (known_.insert(name).second) wanted_.push_back({schema, side, route});
  return {{"$ref", std::string(kComponents) + name}};
}

Json header(std::string_view name, std::string_view description) {
  return {{"name", name},
          {"in", "header"},
          {"required", false},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

void add_headers(const Route& route, capnp::StructSchema params, Json& list) {
  if (find_field(params, "requestId") != nullptr || find_field(body_struct(route), "requestId") != nullptr)
    list.push_back(header("Idempotency-Key", "Any text of up to 64 bytes: with it the call may be repeated"));
  for (const std::string_view name : headers_of(route))
    list.push_back(header(name, "Part of the message; see docs/http.md"));
  if (find_field(params, "ifVersion") != nullptr)
    list.push_back(header("If-Match",
                          "ETags of the queue: the call fails (412) if the queue's ETag is not one of them"));
  if (route.method == boost::beast::http::verb::put)
    list.push_back(header("If-None-Match", "*: the call fails (412) if the queue exists"));
  if (is_tagged(route))
    list.push_back(
        header("If-None-Match", "ETags that the client has: the answer is 304 if one of them is current"));
}

void Document::add_parameter(const JsonField& field, std::string_view place, Json& list) {
  Json parameter = {{"name", field.name}, {"in", place}, {"required", place == "path" || field.is_required}};
  Json schema = of_field(field, Side::kRequest);
  if (is_list_of_objects(field)) {
    parameter["content"] = {{"application/json", {{"schema", std::move(schema)}}}};
  } else {
    parameter["schema"] = std::move(schema);
  }
  list.push_back(std::move(parameter));
}

Json Document::parameters(const Route& route, capnp::StructSchema params) {
  Json list = Json::array();
  if (route.kind == RouteKind::EVENTS) {
    list.push_back(
        {{"name", "queue"}, {"in", "query"}, {"required", false}, {"schema", {{"type", "string"}}}});
    list.push_back(header("Last-Event-ID", "The id of the last event that the client received"));
  }
  if (route.kind == RouteKind::SETTLE_ONE) {
    list.push_back(
        {{"name", "receipt"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  add_headers(route, params, list);
  for (const JsonField& field : json_fields(params)) {
    if (route.kind != RouteKind::SETTLE_ONE && is_in_path(route, field.name))
      add_parameter(field, "path", list);
  }
  for (const JsonField* field : query_fields(route)) add_parameter(*field, "query", list);
  return list;
}

// Describes the body of one message, which may have any type.
Json raw_body() { return {{"schema", {{"type", "string"}, {"format", "binary"}}}}; }

Json Document::request_body(const Route& route) {
  if (route.kind == RouteKind::SEND_RAW) return {{"required", true}, {"content", {{"*/*", raw_body()}}}};
  const capnp::StructSchema part = body_struct(route);
  const Route* of_all = route.body_field.empty() ? &route : nullptr;
  const bool is_of_one = route.kind == RouteKind::SETTLE_ONE && of_all != nullptr;
  const Json schema =
      is_of_one ? object(part, Side::kRequest, of_all) : reference(part, Side::kRequest, of_all);
  Json body = {{"content", {{"application/json", {{"schema", schema}}}}}};
  const auto fields = body_fields(route);
  if (std::ranges::any_of(fields, &JsonField::is_required)) body["required"] = true;
  return body;
}

// Adds the answers with errors. The error table, not this document, says which status each error has.
void add_problems(Json& responses) {
  for (const char* status : {"4XX", "5XX"}) responses[status] = {{"$ref", "#/components/responses/Problem"}};
}

// Returns the member of a reply that is not its error.
const JsonField& value_of_reply(capnp::StructSchema reply) {
  return *std::ranges::find_if(json_fields(reply),
                               [](const JsonField& field) { return field.name != "error"; });
}

Json Document::content(const Route& route, capnp::StructSchema reply) {
  const auto json = [](Json schema) { return Json{{"application/json", {{"schema", std::move(schema)}}}}; };
  const JsonField& value = value_of_reply(reply);
  switch (route.kind) {
    case RouteKind::STREAM:
    case RouteKind::EVENTS:
      return {{"text/event-stream", {{"schema", {{"type", "string"}}}}}};
    case RouteKind::SEND_RAW:
      return json({{"type", "object"},
                   {"properties",
                    {{"id", {{"type", "string"}, {"format", "uuid"}}},
                     {"durability", {{"type", "string"}}},
                     {"duplicate", {{"type", "boolean"}}}}},
                   {"required", {"id", "durability", "duplicate"}}});
    case RouteKind::SEND_BATCH: {
      Json sent = of_field(value, Side::kReply);
      Json& id = sent["properties"]["ids"]["items"];
      id = {{"anyOf", {id, {{"type", "null"}}}}};
      return json(std::move(sent));
    }
    default:
      break;
  }
  Json schema = {{"type", "object"}};
  if (value.shape == Shape::kObject) {
    schema = of_field(value, Side::kReply);
  } else {
    add_member(value, Side::kReply, schema["properties"]);
  }
  Json content = json(std::move(schema));
  if (route.kind == RouteKind::RECEIVE) content["*/*"] = raw_body();
  return content;
}

Json header_of_answer(std::string_view description) {
  return {{"description", description}, {"schema", {{"type", "string"}}}};
}

Json success_of(unsigned status, const Route& route, const Json& content) {
  Json success = {
      {"description", status == http_status::kNotModified ? "The client has it already" : "It is done"}};
  const bool has_body = status != http_status::kNoContent && status != http_status::kNotModified;
  if (has_body) success["content"] = content;
  if (is_tagged(route))
    success["headers"]["ETag"] = header_of_answer("The ETag of this answer, for If-None-Match");
  if (has_body && route.kind == RouteKind::RECEIVE) {
    for (const std::string_view name : raw_delivery_headers())
      success["headers"][std::string(name)] = header_of_answer("Only for a single message; see docs/http.md");
  }
  return success;
}

Json Document::responses(const Route& route, capnp::StructSchema reply) {
  const Json body = route.success == http_status::kNoContent ? Json() : content(route, reply);
  Json all = Json::object();
  for (const unsigned status : successes_of(route))
    all[std::to_string(status)] = success_of(status, route, body);
  add_problems(all);
  return all;
}

// Returns an id that no other operation has. Several operations make the same call: two make "sendBatch".
std::string operation_id(const Route& route) {
  std::string id(route.call);
  if (route.kind == RouteKind::SEND_RAW) return "send";
  if (route.kind == RouteKind::STREAM) return "streamDeliveries";
  if (route.kind == RouteKind::EVENTS) return "streamEvents";
  if (route.kind == RouteKind::SETTLE_ONE) {
    id.resize(id.size() - std::string_view("Batch").size());
    if (route.method == boost::beast::http::verb::delete_) id += "Delivery";
  }
  return id;
}

std::string tag_of(const Route& route) {
  const std::string_view path = route.path;
  for (const std::string_view tag : {"dead-letters", "redrives", "deliveries", "messages", "queues"}) {
    if (path.find(tag) != std::string_view::npos) return std::string(tag);
  }
  return "operations";
}

Json Document::operation(const Route& route) {
  const auto method = protocol::methods()[protocol::method_number(route.call)];
  Json made = {{"operationId", operation_id(route)}, {"summary", route.summary}, {"tags", {tag_of(route)}}};
  Json list = parameters(route, method.getParamType());
  if (!list.empty()) made["parameters"] = std::move(list);
  const bool may_have_body = route.kind == RouteKind::SEND_RAW || !body_fields(route).empty();
  if (may_have_body) made["requestBody"] = request_body(route);
  made["responses"] = responses(route, method.getResultType());
  return made;
}

Json Document::path_item(std::string_view path) {
  Json item = Json::object();
  for (const Route& route : routes()) {
    if (route.path != path) continue;
    std::string method(boost::beast::http::to_string(route.method));
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return std::tolower(c); });
    item[method] = operation(route);
  }
  return item;
}

// `failed` describes what a problem says of each of several entries.
Json problem_schema(const Json& failed) {
  Json codes = Json::array();
  for (const ErrorInfo& info : error_table()) codes.push_back(info.name);
  return {{"type", "object"},
          {"properties",
           {{"type", {{"type", "string"}}},
            {"title", {{"type", "string"}}},
            {"status", {{"type", "integer"}}},
            {"detail", {{"type", "string"}}},
            {"code", {{"type", "string"}, {"enum", codes}}},
            {"failed", failed}}},
          {"required", {"type", "title", "status", "detail", "code"}}};
}

Json Document::make() {
  Json document = {{"openapi", "3.1.0"}};
  document["servers"] = {{{"url", "/"}}};  // the server that the document came from
  document["info"] = {{"title", "Holdfast"},
                      {"version", kVersion},
                      {"description", "A persistent message queue with first-class dead letters."}};
  document["security"] = {Json::object(), {{"token", Json::array()}}};
  for (const Route& route : routes()) {
    const std::string path(route.path);
    if (!document["paths"].contains(path)) document["paths"][path] = path_item(path);
  }
  document["paths"][std::string(kSessionPath)] = session_path_item();
  Json schemas = Json::object();
  const Json entry = reference(capnp::Schema::from<wire::FailedEntry>(), Side::kReply);
  schemas["Problem"] = problem_schema(
      {{"type", "array"}, {"items", entry}, {"description", "For a batch of which nothing was sent"}});
  schemas["Error"] = {{"type", "object"},
                      {"properties", {{"code", {{"type", "string"}}}, {"message", {{"type", "string"}}}}},
                      {"required", {"code", "message"}}};
  while (!wanted_.empty()) {
    const auto [schema, side, route] = wanted_.back();
    wanted_.pop_back();
    schemas[component_name(schema, side)] = object(schema, side, route);
  }
  document["components"]["schemas"] = schemas;
  document["components"]["responses"]["Problem"] = {
      {"description", "It had no effect; `code` says why"},
      {"headers",
       {{"Retry-After", header_of_answer("With 429 and 503: seconds to wait")},
        {"WWW-Authenticate", header_of_answer("With 401")},
        {"Allow", header_of_answer("With 405: the methods that are supported")}}},
      {"content",
       {{"application/problem+json", {{"schema", {{"$ref", std::string(kComponents) + "Problem"}}}}}}}};
  document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
  return document;
}

}  // namespace

const std::string& open_api() {
  static const std::string text = Document().make().dump(1) + "\n";
  return text;
}

}  // namespace holdfast::server
