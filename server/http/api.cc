#include "server/http/api.h"

#include <capnp/dynamic.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/request_json.h"
#include "holdfast/limits.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/http/status.h"
#include "schema/protocol/protocol_methods.h"
#include "server/access/guard.h"
#include "server/access/tokens.h"
#include "server/calls/direct_call.h"
#include "server/calls/methods.h"
#include "server/http/exchange/batch_answer.h"
#include "server/http/exchange/conditions.h"
#include "server/http/exchange/known_headers.h"
#include "server/http/exchange/query.h"
#include "server/http/exchange/raw_message.h"
#include "server/http/exchange/refusals.h"
#include "server/http/json/json_fields.h"
#include "server/http/open_api.h"
#include "server/http/page.h"
#include "server/http/parameters.h"
#include "server/http/session_calls.h"
#include "server/http/streams/delivery_events.h"
#include "server/http/streams/event_stream.h"
#include "server/logging/method_names.h"

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;
using capnp::DynamicStruct;

constexpr std::string_view kOpenApi = "/v1/openapi.json";
constexpr std::string_view kRaw = "application/octet-stream";
constexpr const char* kReceipts = "receipts";

std::string_view name_of(capnp::StructSchema::Field field) {
  const auto name = field.getProto().getName();
  return {name.begin(), name.size()};
}

std::string bearer_token(const HttpRequest& request) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view said = view(request[http::field::authorization]);
  const bool is_bearer = said.size() > kBearer.size() &&
                         boost::beast::iequals(as_beast(said.substr(0, kBearer.size())), as_beast(kBearer));
  return is_bearer ? std::string(said.substr(kBearer.size())) : std::string();
}

// Returns whether a request for this route only waits for something to come.
bool may_give_up(const Route& route) {
  return route.kind == RouteKind::EVENTS ||
         find_method(protocol::method_number(route.call))->traits.may_be_given_up;
}

// Returns whether the client wants the body of one message. A client whose Accept is a list or has parameters
// gets JSON.
bool wants_raw(const HttpRequest& request) {
  return boost::beast::iequals(request[http::field::accept], as_beast(kRaw));
}

// --- the request ---

// Returns the struct that the body of the request fills: all parameters, or one struct among them.
DynamicStruct::Builder body_part(const Route& route, DynamicStruct::Builder params) {
  if (route.body_field.empty()) return params;
  return params.get(kj::StringPtr(std::string(route.body_field).c_str())).as<DynamicStruct>();
}

// SaidNames are the names of the parameters that a request gives, in its path, its query or its body.
using SaidNames = std::set<std::string, std::less<>>;

Result<void> read_names(const Match& match, DynamicStruct::Builder params, SaidNames& said) {
  for (const auto& [name, value] : match.names) {
    if (match.route->kind == RouteKind::SETTLE_ONE) {
      Json receipts = Json::object();
      receipts[kReceipts].push_back(value);
      said.emplace(kReceipts);
      if (auto ok = read_json(receipts, params); !ok) return ok;
    } else if (auto ok = read_query(name, {value}, params); !ok) {
      return ok;
    }
    said.insert(name);
  }
  return {};
}

// Data have two names, of which a query may have one.
Result<void> check_given_once(const Query& query, std::string_view name) {
  constexpr std::string_view kSecond = "Base64";
  if (!name.ends_with(kSecond)) return {};
  const std::string first(name.substr(0, name.size() - kSecond.size()));
  if (!query.contains(first)) return {};
  return fail(ErrorCode::kInvalidArgument,
              std::string(name) + ": is given together with '" + first + "'; give only one of them");
}

Result<void> read_query_of(const Route& route, const HttpRequest& request, DynamicStruct::Builder params,
                           SaidNames& said) {
  const auto query = parse_query(view(request.target()));
  if (!query) return fail(ErrorCode::kInvalidArgument, "the query is badly percent-encoded");
  for (const auto& [name, values] : *query) {
    if (auto ok = check_in_query(route, name); !ok) return ok;
    if (auto ok = check_given_once(*query, name); !ok) return ok;
    if (auto ok = read_query(name, values, params); !ok) return ok;
    said.insert(name);
  }
  return {};
}

Result<void> read_body(const Route& route, const HttpRequest& request, DynamicStruct::Builder part,
                       SaidNames& said) {
  if (route.kind == RouteKind::SEND_RAW) {
    said.emplace("messages");
    return read_raw_message(request, part);
  }
  if (request.body().empty()) return {};
  const auto body = parse_request_json(request.body());
  if (!body) return fail(ErrorCode::kInvalidArgument, "the body " + body.error());
  for (const auto& [name, value] : body->items()) {
    const bool is_of_object = body->is_object();
    if (auto ok = is_of_object ? check_in_body(route, name) : Result<void>(); !ok) return ok;
  }
  if (auto ok = read_json(*body, part); !ok) return ok;
  if (!route.body_field.empty()) return {};
  for (const auto& [name, value] : body->items()) {
    if (!value.is_null()) said.insert(name);
  }
  return {};
}

Result<void> check_required(capnp::StructSchema params, const SaidNames& said) {
  for (const JsonField& field : json_fields(params)) {
    if (field.is_required && !said.contains(field.name))
      return fail(ErrorCode::kInvalidArgument, field.name + ": is required");
  }
  return {};
}

// Writes the key as the request id, which is among the parameters or in the struct that the body fills. A
// call that changes something and has no request id is refused: its repetition would change something again,
// and a client that sends a key expects otherwise.
Result<void> read_idempotency_key(const HttpRequest& request, DynamicStruct::Builder params,
                                  DynamicStruct::Builder part) {
  const std::string key(view(request["Idempotency-Key"]));
  if (key.empty() || request.method() == http::verb::get) return {};
  bool is_taken = false;
  for (DynamicStruct::Builder* has_id : {&params, &part}) {
    KJ_IF_MAYBE (field, has_id->getSchema().findFieldByName("requestId")) {
      if (has_id->has(*field) && !is_taken)
        return fail(ErrorCode::kInvalidArgument,
                    "Idempotency-Key: is given together with 'requestId'; give only one of them");
      has_id->set(*field, capnp::Text::Reader(key.c_str(), key.size()));
      is_taken = true;
    }
  }
  if (is_taken) return {};
  return fail(ErrorCode::kInvalidArgument, "Idempotency-Key: this request does not take this header");
}

Result<void> read_request(const Match& match, const HttpRequest& request, DynamicStruct::Builder params) {
  const Route& route = *match.route;
  if (auto ok = check_headers(request, headers_of(route)); !ok) return ok;
  SaidNames said;
  if (auto ok = read_query_of(route, request, params, said); !ok) return ok;
  DynamicStruct::Builder part = body_part(route, params);
  if (auto ok = read_body(route, request, part, said); !ok) return ok;
  if (auto ok = read_names(match, params, said); !ok) return ok;
  if (auto ok = read_conditions(request, params); !ok) return ok;
  if (auto ok = check_required(params.getSchema(), said); !ok) return ok;
  return read_idempotency_key(request, params, part);
}

// --- the answer ---

std::optional<Error> error_in(DynamicStruct::Reader reply) {
  KJ_IF_MAYBE (member, reply.which()) {
    if (name_of(*member) == "error")
      return convert::read(reply.get(*member).as<DynamicStruct>().as<wire::Error>());
  }
  return std::nullopt;
}

// Returns what the reply contains beside an error: a struct becomes the body itself, anything else a member
// of it.
Json body_of(DynamicStruct::Reader reply) {
  Json body = write_json(reply);
  KJ_IF_MAYBE (member, reply.which()) {
    const std::string name(name_of(*member));
    if (member->getType().isStruct() && body.contains(name)) return body[name];
  }
  return body;
}

// Spares a client that asks again and again the bytes that it has.
HttpResponse unless_known(const HttpRequest& request, HttpResponse response, std::string_view version = {}) {
  if (request.method() != http::verb::get || response.result_int() != http_status::kOk) return response;
  const std::string etag = entity_tag(response.body(), version);
  if (is_known(request, etag)) response = empty_response(http_status::kNotModified);
  response.set(http::field::etag, etag);
  response.set(http::field::cache_control, "no-cache");
  return response;
}

Error is_there_already() {
  return {ErrorCode::kPreconditionFailed, "If-None-Match: there is a queue of that name"};
}

// Returns the version of something that can be changed under a condition. Empty for anything else.
std::string version_in(const Route& route, const Json& body) {
  return route.call == "describeQueue" ? body.value("version", "") : "";
}

HttpResponse answer_of(const Route& route, const HttpRequest& request, DynamicStruct::Reader reply) {
  if (route.kind == RouteKind::RECEIVE && wants_raw(request))
    return answer_raw_receive(reply.get("deliveries").as<capnp::DynamicList>());
  Json body = body_of(reply);
  const bool is_one = route.kind == RouteKind::SEND_RAW || route.kind == RouteKind::SETTLE_ONE;
  if (is_one) {
    if (const auto error = first_failure(body)) return problem(*error);
  }
  if (route.kind == RouteKind::SEND_RAW) return answer_raw_send(route.success, body);
  if (route.kind == RouteKind::SEND_BATCH) return answer_batch_send(route.success, std::move(body));
  const bool has_body = route.success != 204;
  if (!has_body) return empty_response(route.success);
  const bool created = route.method == http::verb::put && body.value("created", false);
  if (!created && wants_new(request)) return problem(is_there_already());
  return unless_known(request, json_response(created ? http_status::kCreated : route.success, body),
                      version_in(route, body));
}

}  // namespace

HttpResponse HttpApi::refuse(const Error& error, bool has_token) const {
  const bool needs_token =
      error.code == ErrorCode::kPermissionDenied && !has_token && callers_.are_controlled();
  if (!needs_token) return problem(error);
  HttpResponse response = problem(http_status::kUnauthorized, error);
  response.set(http::field::www_authenticate, "Bearer realm=\"holdfast\"");
  return response;
}

Result<std::shared_ptr<const Caller>> HttpApi::caller_of(const HttpRequest& request,
                                                         const std::string& token) {
  auto caller = callers_.caller_of(token);
  const bool has_session = callers_.are_controlled() && !token.empty() && bearer_token(request).empty();
  if (!caller || !has_session) return caller;
  return std::make_shared<const Caller>(**caller, session_lifeline(request, common_.sessions, tls_));
}

Result<std::string> HttpApi::token_of(const HttpRequest& request) const {
  std::string token = bearer_token(request);
  if (!token.empty() || !callers_.are_controlled()) return token;
  return session_token(request, common_.sessions, tls_);
}

HttpAnswer HttpApi::sign_in(const HttpRequest& request) {
  auto token = read_sign_in(request);
  if (!token) return problem(token.error());
  if (!callers_.are_controlled()) return empty_response(http_status::kNoContent);
  const auto caller = callers_.sign_in(*token);
  if (!caller) return refuse(caller.error(), true);
  const auto id = common_.sessions.open(*std::move(token), std::chrono::steady_clock::now());
  return id ? signed_in(request, *id, tls_) : problem(id.error());
}

HttpAnswer HttpApi::answer_session(const HttpRequest& request) {
  if (auto ok = check_headers(request, {}); !ok) return problem(ok.error());
  if (auto ok = refuse_conditions(request); !ok) return problem(ok.error());
  if (request.method() == http::verb::post) return sign_in(request);
  if (request.method() == http::verb::delete_) return sign_out(request, common_.sessions, tls_);
  if (request.method() != http::verb::get)
    return no_such_method({http::verb::get, http::verb::post, http::verb::delete_});
  const auto token = token_of(request);
  if (!token) return problem(token.error());
  const auto rights = callers_.are_controlled() ? state_.options.tokens->rights_of(*token) : nullptr;
  return describe_session(rights.get(), callers_.are_controlled());
}

kj::Promise<HttpAnswer> HttpApi::call_events(std::shared_ptr<const Caller> caller, HttpRequest request) {
  auto opened = [this, caller, head = HttpRequest(request.base())](auto reply) -> HttpAnswer {
    if (reply.isError()) return refuse(convert::read(reply.getError()), !token_of(head).value_or("").empty());
    return stream_events(caller, head);
  };
  const auto read = EventStream::read(request);
  if (!read || read->queue.empty()) {
    DirectRequest<wire::ListQueuesRequest, wire::ListQueuesReply> asks(std::move(caller), "listQueues",
                                                                       name_of_event_stream());
    return asks.send().then(kj::mv(opened));
  }
  // A caller that may watch a queue may ask for its numbers. So this call refuses a queue that does not
  // exist, or is not the caller's, as every other call does.
  DirectRequest<wire::QueueRequest, wire::QueueStatisticsReply> looks(std::move(caller), "queueStatistics",
                                                                      name_of_event_stream());
  looks.setName(capnp::Text::Reader(read->queue.c_str(), read->queue.size()));
  return looks.send().then(kj::mv(opened));
}

HttpAnswer HttpApi::stream_events(std::shared_ptr<const Caller> caller, const HttpRequest& request) {
  auto read = EventStream::read(request);
  if (!read) return problem(read.error());
  const std::string last_event_id = read->last_event_id;
  auto stream = EventStream::open(std::move(caller), common_.events, *std::move(read));
  if (!stream) return problem(stream.error());
  return {text_response(http_status::kOk, "text/event-stream", (*stream)->first(last_event_id)),
          kj::mv(*stream)};
}

kj::Promise<HttpAnswer> HttpApi::answer(HttpRequest request, bool& may_be_given_up) {
  if (auto page = page_answer(request, tls_)) return HttpAnswer(*std::move(page));
  if (path_of(request) == kSessionPath) return answer_session(request);
  if (path_of(request) == kOpenApi) {
    return HttpAnswer(
        request.method() == http::verb::get
            ? unless_known(request, text_response(http_status::kOk, "application/json", open_api()))
            : no_such_method({http::verb::get}));
  }
  auto found = find_route(request.method(), path_of(request));
  if (!found)
    return HttpAnswer(
        problem(http_status::kNotFound, {ErrorCode::kInvalidArgument, "there is no such resource"}));
  if (const auto* others = std::get_if<OtherMethods>(&*found)) return HttpAnswer(no_such_method(*others));
  const auto match = std::get<Match>(*std::move(found));
  may_be_given_up = may_give_up(*match.route);

  const auto token = token_of(request);
  if (!token) return HttpAnswer(problem(token.error()));
  return kj::evalNow([&]() -> kj::Promise<HttpAnswer> {
           auto caller = caller_of(request, *token);
           // An unknown token is answered like a missing one: see refuse_stranger().
           if (!caller) return HttpAnswer(refuse(caller.error(), false));
           return call(*std::move(caller), match, std::move(request));
         })
      .catch_([](kj::Exception&& why) { return HttpAnswer(problem(error_of(why))); });
}

std::optional<HttpResponse> HttpApi::refuse_stranger(const HttpRequest& head) const {
  if (!callers_.are_controlled() || is_sign_in(head) || is_sign_out(head, common_.sessions, tls_))
    return std::nullopt;
  const auto shown = token_of(head);
  if (!shown) return problem(shown.error());
  const std::string& token = *shown;
  if (token.empty())
    return refuse({ErrorCode::kPermissionDenied, "a token is needed: Authorization: Bearer TOKEN"}, false);
  const auto admitted = state_.options.tokens->admit(token);
  if (admitted) return std::nullopt;
  // An unknown token is answered with 401, like a missing one. That leaves open whether an earlier try was
  // successful, while the token was known.
  return refuse(admitted.error(), false);
}

std::optional<HttpResponse> HttpApi::refuse_head(const HttpRequest& request) {
  const auto found = find_route(http::verb::get, path_of(request));
  const auto* match = found ? std::get_if<Match>(&*found) : nullptr;
  const bool is_stream = match != nullptr && match->route->kind == RouteKind::EVENTS;
  return is_stream ? std::optional(no_such_method({http::verb::get})) : std::nullopt;
}

// A caller that may ask for the statistics of the engine may see the metrics. The right is checked without
// that call, which fails once the engine has failed: metrics must show that then.
std::optional<HttpResponse> HttpApi::refuse_watcher(const HttpRequest& request) {
  if (!callers_.are_controlled()) return std::nullopt;
  const auto token = token_of(request);
  if (!token) return problem(token.error());
  const auto caller = caller_of(request, *token);
  if (!caller) return refuse(caller.error(), false);
  const CallRule& rule = find_method(protocol::method_number("statistics"))->rule;
  const auto may = check_call(*(*caller)->rights(), rule, wire::StatisticsRequest::Reader());
  if (!may) return refuse(may.error(), !token->empty());
  return std::nullopt;
}

kj::Promise<HttpAnswer> HttpApi::call(std::shared_ptr<const Caller> caller, const Match& match,
                                      HttpRequest request) {
  const Route& route = *match.route;
  if (route.kind == RouteKind::EVENTS) return call_events(std::move(caller), std::move(request));
  auto made = kj::heap<DirectCall>(caller, route.call);
  const auto params = made->asked();
  if (auto ok = read_request(match, request, params); !ok) return HttpAnswer(problem(ok.error()));
  if (route.kind == RouteKind::RECEIVE && wants_raw(request) &&
      params.asReader().as<wire::ReceiveRequest>().getMax() != 1)
    return HttpAnswer(problem(
        http_status::kNotAcceptable,
        {ErrorCode::kInvalidArgument, "max: several messages are answered only as application/json"}));
  std::string().swap(request.body());  // the answer does not need the body
  const bool has_token = !token_of(request).value_or("").empty();
  kj::Own<DeliveryEvents> stream;
  if (route.kind == RouteKind::STREAM)
    stream = kj::heap<DeliveryEvents>(std::move(caller), params.asReader().as<wire::ReceiveRequest>());
  return DirectCall::make(kj::mv(made))
      .then([this, &route, request = std::move(request), has_token,
             stream = kj::mv(stream)](kj::Own<DirectCall> answered) mutable -> HttpAnswer {
        const auto reply = answered->answer();
        if (const auto error = error_in(reply)) {
          const bool is_there = error->code == ErrorCode::kQueueExists && wants_new(request);
          return refuse(is_there ? is_there_already() : *error, has_token);
        }
        if (route.kind == RouteKind::STREAM) {
          HttpResponse response = text_response(http_status::kOk, "text/event-stream", stream->events(reply));
          return {std::move(response), kj::mv(stream)};
        }
        HttpAnswer answer = answer_of(route, request, reply);
        if (route.kind == RouteKind::RECEIVE)
          answer.deliveries = kj::heap<UnsentDeliveries>(state_.engine, receipts_in(reply));
        return answer;
      });
}

}  // namespace holdfast::server
