#include "server/sqs/format/protocols.h"

#include <algorithm>
#include <array>
#include <boost/url/encoding_opts.hpp>
#include <boost/url/pct_string_view.hpp>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/request_json.h"
#include "schema/http/status.h"
#include "server/sqs/format/random_id.h"
#include "server/sqs/format/sqs_values.h"

namespace holdfast::server::sqs {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kTargetPrefix = "AmazonSQS.";
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kNamespace = "http://queue.amazonaws.com/doc/2012-11-05/";
// The most elements of a list or a map that are read. It is far above what any operation takes, and bounds
// how long a hostile form is read.
constexpr std::size_t kMostElements = 10'000;

std::string_view target_of(const HttpRequest& head) { return view(head["X-Amz-Target"]); }

bool is_form(std::string_view type) {
  return boost::beast::iequals(as_beast(type.substr(0, kForm.size())), as_beast(kForm));
}

// Returns whether the request is a GET of "/?Action=…". No page of the dashboard has such a URL.
bool asks_by_get(const HttpRequest& head) {
  const std::string_view target = view(head.target());
  const std::size_t query = target.find('?');
  const std::string_view fields = query == std::string_view::npos ? "" : target.substr(query + 1);
  return head.method() == http::verb::get &&
         (fields.starts_with("Action=") || fields.find("&Action=") != std::string_view::npos);
}

// --- the query protocol's parameters ---

std::optional<std::string> decode(std::string_view text) {
  const auto part = boost::urls::make_pct_string_view({text.data(), text.size()});
  if (!part) return std::nullopt;
  boost::urls::encoding_opts options;
  options.space_as_plus = true;
  return part->decode(options);
}

bool has_prefix(const Form& form, const std::string& prefix) {
  const auto found = form.lower_bound(prefix);
  return found != form.end() && found->first.starts_with(prefix);
}

bool has_numbered(const Form& form, const std::string& prefix) {
  const auto found = form.lower_bound(prefix + '0');
  return found != form.end() && found->first.starts_with(prefix) && found->first[prefix.size()] <= '9';
}

// An element without a number is the only one of its list or map. Others beside it would be lost.
Outcome<void> check_alone(const Form& form, const std::string& field, const std::string& prefix) {
  if (!has_numbered(form, prefix)) return {};
  return invalid_value(form.at(field), field, "The request also has numbered elements of it.");
}

Outcome<Json> number_of(std::string_view text, std::string_view name) {
  std::int64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size())
    return invalid_value(text, name, "Must be an integer.");
  return Json(number);
}

class FormReader {
 public:
  explicit FormReader(const Form& form) : form_(form) {}

  Outcome<Json> structure(const Shape& shape, const std::string& prefix) const {
    Json object = Json::object();
    for (const Member& member : shape.members) {
      auto value = member_of(member, prefix + std::string(member.in_query()));
      if (!value) return value;
      if (!value->is_null()) object[std::string(member.name)] = *std::move(value);
    }
    return object;
  }

 private:
  // Returns null if the form does not have the member.
  Outcome<Json> member_of(const Member& member, const std::string& name) const {
    switch (member.shape->kind) {
      case Kind::kList:
        return list(member, name);
      case Kind::kMap:
        return map(*member.shape, name);
      default:
        return value(*member.shape, name);
    }
  }

  Outcome<Json> value(const Shape& shape, const std::string& name) const {
    if (shape.kind == Kind::kStructure) {
      if (!has_prefix(form_, name + ".")) return Json();
      return structure(shape, name + ".");
    }
    const auto found = form_.find(name);
    if (found == form_.end()) return Json();
    if (shape.kind == Kind::kInteger) return number_of(found->second, name);
    if (shape.kind == Kind::kBoolean) return Json(found->second == "true");
    return Json(found->second);
  }

  // Returns what stands between `prefix` and the next dot or the end, in the order of the numbers. The
  // numbers may have gaps.
  Outcome<std::vector<std::string>> numbers_after(const std::string& prefix) const {
    std::map<std::uint64_t, std::string> numbers;
    for (auto field = form_.lower_bound(prefix); field != form_.end() && field->first.starts_with(prefix);
         ++field) {
      const std::string_view rest = std::string_view(field->first).substr(prefix.size());
      const std::string_view text = rest.substr(0, rest.find('.'));
      std::uint64_t number = 0;
      const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (wrong != std::errc() || end != text.data() + text.size() || text.starts_with('0'))
        return invalid_value(text, field->first, "Its elements must be numbered, from 1.");
      numbers.emplace(number, text);
      if (numbers.size() > kMostElements)
        return invalid_value(text, field->first, "There are too many elements.");
    }
    std::vector<std::string> texts;
    texts.reserve(numbers.size());
    for (auto& [number, text] : numbers) texts.push_back(std::move(text));
    return texts;
  }

  Outcome<Json> list(const Member& member, const std::string& name) const {
    // The only element of a list may have no number. If it is empty, the list is empty.
    const auto alone = form_.find(name);
    if (alone != form_.end()) {
      if (auto ok = check_alone(form_, name, name + "."); !ok) return tl::unexpected(ok.error());
    }
    if (alone != form_.end() && alone->second.empty()) return Json(Json::array());
    if (alone != form_.end() && member.shape->element->kind != Kind::kStructure)
      return Json(Json::array({alone->second}));
    const std::string prefix = name + ".";
    const auto numbers = numbers_after(prefix);
    if (!numbers) return tl::unexpected(numbers.error());
    Json elements = Json::array();
    for (const std::string& number : *numbers) {
      auto element = value(*member.shape->element, prefix + number);
      if (!element) return element;
      if (!element->is_null()) elements.push_back(*std::move(element));
    }
    return elements.empty() ? Json() : elements;
  }

  Outcome<Json> map(const Shape& shape, const std::string& name) const {
    Json entries = Json::object();
    // The only entry of a map may have no number.
    const std::string only_key = name + "." + std::string(shape.key);
    if (form_.contains(only_key)) {
      if (auto ok = check_alone(form_, only_key, name + "."); !ok) return tl::unexpected(ok.error());
      if (auto ok = add_entry(shape, name + ".", entries); !ok) return tl::unexpected(ok.error());
      return entries;
    }
    const std::string prefix = name + ".";
    const auto numbers = numbers_after(prefix);
    if (!numbers) return tl::unexpected(numbers.error());
    for (const std::string& number : *numbers) {
      std::string entry = prefix;
      entry.append(number).append(".");
      if (auto ok = add_entry(shape, entry, entries); !ok) return tl::unexpected(ok.error());
    }
    return entries.empty() ? Json() : entries;
  }

  Outcome<void> add_entry(const Shape& shape, const std::string& prefix, Json& entries) const {
    const auto key = form_.find(prefix + std::string(shape.key));
    if (key == form_.end()) return missing(prefix + std::string(shape.key));
    if (entries.contains(key->second)) return invalid_value(key->second, key->first, "It is given twice.");
    auto element = value(*shape.element, prefix + std::string(shape.value));
    if (!element) return tl::unexpected(element.error());
    const bool is_structure = shape.element->kind == Kind::kStructure;
    const Json nothing = is_structure ? Json::object() : Json("");
    entries[key->second] = element->is_null() ? nothing : *std::move(element);
    return {};
  }

  const Form& form_;
};

// --- the query protocol's answers ---

void add_escaped(std::string& to, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        to += "&amp;";
        break;
      case '<':
        to += "&lt;";
        break;
      case '>':
        to += "&gt;";
        break;
      case '"':
        to += "&quot;";
        break;
      case '\r':  // a parser would read it as a line feed
        to += "&#xD;";
        break;
      default:
        to += c;
    }
  }
}

void add_element(std::string& to, std::string_view name, std::string_view escaped) {
  ((((to += '<') += name) += '>') += escaped) += "</";
  (to += name) += '>';
}

std::string text_of(const Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::string escaped;
  // SQS clients can send only what XML can contain. Messages of other clients, and errors that repeat a
  // request, may contain more.
  add_escaped(escaped, is_sendable(text) ? text : made_sendable(text));
  return escaped;
}

std::string inner_xml(const Shape& shape, const Json& value) {
  return shape.kind == Kind::kStructure ? write_xml(shape, value) : text_of(value);
}

void add_member(std::string& to, const Member& member, const Json& value) {
  const Shape& shape = *member.shape;
  if (shape.kind == Kind::kList) {
    for (const Json& element : value) add_element(to, member.in_query(), inner_xml(*shape.element, element));
  } else if (shape.kind == Kind::kMap) {
    for (const auto& [key, element] : value.items()) {
      std::string entry;
      add_element(entry, shape.key, text_of(Json(key)));
      add_element(entry, shape.value, inner_xml(*shape.element, element));
      add_element(to, member.in_query(), entry);
    }
  } else {
    add_element(to, member.in_query(), inner_xml(shape, value));
  }
}

HttpResponse xml_response(unsigned status, std::string_view name, const std::string& content,
                          const std::string& request_id) {
  std::string body = "<?xml version=\"1.0\"?>\n<" + std::string(name) + " xmlns=\"" +
                     std::string(kNamespace) + "\">" + content + "</" + std::string(name) + ">\n";
  HttpResponse response = text_response(status, "text/xml", std::move(body));
  response.set("x-amzn-RequestId", request_id);
  return response;
}

// --- JSON ---

bool has_kind(const Json& value, Kind kind) {
  switch (kind) {
    case Kind::kText:
    case Kind::kBytes:
      return value.is_string();
    case Kind::kInteger:
      return value.is_number_integer();
    case Kind::kBoolean:
      return value.is_boolean();
    case Kind::kList:
      return value.is_array();
    case Kind::kMap:
    case Kind::kStructure:
      return value.is_object();
  }
  return false;
}

Outcome<Json> read_value(const Json& from, const Shape& shape, std::string_view name) {
  if (!has_kind(from, shape.kind))
    return refuse(FaultCode::kMalformedInput, std::string(name) + " is of the wrong type.");
  if (shape.kind == Kind::kStructure) return read_object(from, shape);
  if (shape.kind != Kind::kList && shape.kind != Kind::kMap) return from;
  Json made = from;
  for (auto& element : made) {
    auto value = read_value(element, *shape.element, name);
    if (!value) return value;
    element = *std::move(value);
  }
  return made;
}

HttpResponse aws_json(unsigned status, const Json& body) {
  HttpResponse response = text_response(status, "application/x-amz-json-1.0", dump_json(body));
  response.set("x-amzn-RequestId", random_id());
  return response;
}

Outcome<void> check_required(const Json& input, const Shape& structure) {
  for (const Member& member : structure.members) {
    if (member.is_required && !input.contains(member.name)) return missing(member.name);
  }
  return {};
}

tl::unexpected<Fault> no_such_action(std::string_view name) {
  return refuse(FaultCode::kInvalidAction,
                "The action " + std::string(name) + " is not valid for this endpoint.");
}

Outcome<const OperationShape*> operation_of(std::string_view name) {
  if (const OperationShape* operation = find_operation(name)) return operation;
  return no_such_action(name);
}

// Returns the text with U+FFFF for each escaped half of a surrogate pair that stands alone. Such a half is
// not a character, and the library would refuse the whole text for it; JavaScript writes one where it has cut
// a text within a character. No text may have U+FFFF either (is_sendable()), so the value is refused where it
// stands, and the other entries of a batch are not.
std::string with_marked_halves(std::string_view json) {
  constexpr std::size_t kEscape = 6;  // \uD83D
  const auto unit_at = [&](std::size_t at) -> std::optional<unsigned> {
    const std::string_view escape = json.substr(std::min(at, json.size()), kEscape);
    unsigned unit = 0;
    if (escape.size() < kEscape || !escape.starts_with("\\u")) return std::nullopt;
    const auto end = escape.data() + kEscape;
    const bool is_hex = std::from_chars(escape.data() + 2, end, unit, 16).ptr == end;
    return is_hex ? std::optional(unit) : std::nullopt;
  };
  std::string marked(json);
  for (std::size_t at = json.find('\\'); at < json.size(); at = json.find('\\', at)) {
    const auto unit = unit_at(at);
    const bool is_first = unit && *unit >> 10 == 0xD800 >> 10;
    const bool is_second = unit && *unit >> 10 == 0xDC00 >> 10;
    const auto after = is_first ? unit_at(at + kEscape) : std::nullopt;
    const bool is_pair = after && *after >> 10 == 0xDC00 >> 10;
    if ((is_first && !is_pair) || is_second) marked.replace(at + 2, 4, "FFFF");
    at += is_pair ? 2 * kEscape : unit ? kEscape : 2;
  }
  return marked;
}

Outcome<SqsRequest> read_json_request(const HttpRequest& request) {
  const std::string_view target = target_of(request);
  if (!target.starts_with(kTargetPrefix)) return no_such_action(target);
  const auto operation = operation_of(target.substr(kTargetPrefix.size()));
  if (!operation) return tl::unexpected(operation.error());
  const std::string_view text = request.body().empty() ? std::string_view("{}") : request.body();
  auto body = parse_request_json(text);
  if (!body) body = parse_request_json(with_marked_halves(text));
  if (!body) return refuse(FaultCode::kMalformedInput, "The body " + body.error() + ".");
  if (!body->is_object()) return refuse(FaultCode::kMalformedInput, "The body is not a JSON object.");
  auto input = read_object(*body, *(*operation)->input);
  if (!input) return tl::unexpected(input.error());
  return SqsRequest{*operation, *std::move(input)};
}

Outcome<SqsRequest> read_query_request(const HttpRequest& request) {
  if (asks_by_get(request)) {
    // Any page can have a browser send a GET here, and the GET does not say that another page sends it.
    return refuse(FaultCode::kUnsupportedOperation, "Requests must be sent by POST, not by GET.");
  }
  auto form = parse_form(request.body());
  if (!form) return tl::unexpected(form.error());
  const auto action = form->find("Action");
  if (action == form->end()) return missing("Action");
  const auto operation = operation_of(action->second);
  if (!operation) return tl::unexpected(operation.error());
  // Older clients name the queue only by the path to which they post.
  const std::string path(path_of(request));
  if (path != "/") form->try_emplace("QueueUrl", path);
  auto input = read_form(*form, *(*operation)->input);
  if (!input) return tl::unexpected(input.error());
  return SqsRequest{*operation, *std::move(input)};
}

}  // namespace

std::optional<Protocol> protocol_of(const HttpRequest& head) {
  if (path_of(head).starts_with("/v1")) return std::nullopt;
  if (asks_by_get(head)) return Protocol::kQuery;
  if (head.method() != http::verb::post) return std::nullopt;
  if (!target_of(head).empty()) return Protocol::kJson;
  if (is_form(view(head[http::field::content_type]))) return Protocol::kQuery;
  return std::nullopt;
}

Outcome<Form> parse_form(std::string_view body) {
  Form form;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('&'), body.size());
    const std::string_view field = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (field.empty()) continue;
    const std::size_t sign = std::min(field.find('='), field.size());
    auto name = decode(field.substr(0, sign));
    auto value = decode(field.substr(std::min(sign + 1, field.size())));
    if (!name || !value) return refuse(FaultCode::kMalformedInput, "The parameters are badly encoded.");
    if (form.contains(*name)) return invalid_value(*value, *name, "It is given twice.");
    form[*std::move(name)] = *std::move(value);
  }
  return form;
}

Outcome<Json> read_form(const Form& form, const Shape& structure) {
  return FormReader(form).structure(structure, "");
}

std::string write_xml(const Shape& structure, const Json& value) {
  std::string xml;
  for (const Member& member : structure.members) {
    const auto found = value.find(member.name);
    if (found != value.end()) add_member(xml, member, *found);
  }
  return xml;
}

Outcome<Json> read_object(const Json& from, const Shape& structure) {
  Json object = Json::object();
  for (const Member& member : structure.members) {
    const auto found = from.find(member.name);
    if (found == from.end() || found->is_null()) continue;
    auto value = read_value(*found, *member.shape, member.name);
    if (!value) return value;
    object[std::string(member.name)] = *std::move(value);
  }
  return object;
}

Outcome<SqsRequest> read_request(Protocol protocol, const HttpRequest& request) {
  auto read = protocol == Protocol::kJson ? read_json_request(request) : read_query_request(request);
  if (!read) return read;
  if (auto ok = check_required(read->input, *read->operation->input); !ok) return tl::unexpected(ok.error());
  return read;
}

HttpResponse write_answer(Protocol protocol, const OperationShape& operation, const Json& output) {
  if (protocol == Protocol::kJson) return aws_json(http_status::kOk, output);
  const std::string name(operation.name);
  const std::string request_id = random_id();
  std::string content;
  if (operation.output != nullptr)
    add_element(content, name + "Result", write_xml(*operation.output, output));
  add_element(content, "ResponseMetadata", "<RequestId>" + request_id + "</RequestId>");
  return xml_response(http_status::kOk, name + "Response", content, request_id);
}

HttpResponse write_fault(Protocol protocol, const Fault& fault) {
  const FaultInfo& info = fault_info(fault.code);
  const std::string_view type = info.is_senders() ? "Sender" : "Receiver";
  HttpResponse response;
  if (protocol == Protocol::kJson) {
    response = aws_json(info.status, {{"__type", info.json_type}, {"message", fault.message}});
  } else {
    const std::string request_id = random_id();
    std::string error;
    add_element(error, "Type", type);
    add_element(error, "Code", info.query_code);
    add_element(error, "Message", text_of(Json(fault.message)));
    std::string content;
    add_element(content, "Error", error);
    add_element(content, "RequestId", request_id);
    response = xml_response(info.status, "ErrorResponse", content, request_id);
  }
  response.set("x-amzn-query-error", std::string(info.query_code) + ";" + std::string(type));
  return response;
}

}  // namespace holdfast::server::sqs
