#include "server/http/exchange/raw_message.h"

#include <algorithm>
#include <array>
#include <boost/url/encode.hpp>
#include <boost/url/pct_string_view.hpp>
#include <boost/url/rfc/unreserved_chars.hpp>
#include <optional>
#include <utility>

#include "engine/base/helpers/utf8.h"
#include "engine/base/time_text.h"
#include "engine/codec/encoding/json.h"
#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/value.h"
#include "schema/http/status.h"

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;
using wire::Delivery;

constexpr std::string_view kContentType = "content-type";
constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kDurability = "Holdfast-Durability";
constexpr std::string_view kAttribute = "Holdfast-Attribute";
// The reason becomes a header, so it is cut: many clients take only 8 or 16 KiB of headers in all.
constexpr std::size_t kReasonBytes = 1024;

struct MessageHeader {
  std::string_view name;
  std::string_view member;
  bool may_be_number = false;
};

constexpr auto kMessageHeaders = std::to_array<MessageHeader>({
    {"Holdfast-Delay", "delay", true},
    {"Holdfast-Visible-At", "visibleAt"},
    {"Holdfast-Group", "group"},
    {"Holdfast-Deduplication-Id", "deduplicationId"},
    {"Holdfast-Priority", "priority", true},
    {"Holdfast-Time-To-Live", "timeToLive", true},
});

std::string encoded(std::string_view text) {
  return boost::urls::encode({text.data(), text.size()}, boost::urls::unreserved_chars);
}

tl::unexpected<Error> wrong(std::string_view header, std::string_view what) {
  return fail(ErrorCode::kInvalidArgument, std::string(header) + ": " + std::string(what));
}

Result<std::string> decoded(std::string_view header, std::string_view text) {
  const auto part = boost::urls::make_pct_string_view({text.data(), text.size()});
  if (!part) return wrong(header, "is badly percent-encoded");
  return part->decode();
}

Result<void> add_attributes(std::string_view list, Attributes& to) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    const std::string_view entry = trimmed(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t sign = entry.find('=');
    if (sign == std::string_view::npos) return wrong(kAttribute, "an entry is not name=value");
    auto name = decoded(kAttribute, trimmed(entry.substr(0, sign)));
    auto value = decoded(kAttribute, trimmed(entry.substr(sign + 1)));
    if (!name) return tl::unexpected(name.error());
    if (!value) return tl::unexpected(value.error());
    to.push_back({*std::move(name), *std::move(value)});
  }
  return {};
}

Result<Attributes> read_attributes(const HttpRequest& request) {
  Attributes attributes;
  const auto [begin, end] = request.equal_range(as_beast(kAttribute));
  for (auto field = begin; field != end; ++field) {
    if (trimmed(view(field->value())).empty()) return wrong(kAttribute, "is empty");
    if (auto ok = add_attributes(view(field->value()), attributes); !ok) return tl::unexpected(ok.error());
  }
  const std::string_view type = view(request[http::field::content_type]);
  const bool is_said = std::ranges::find(attributes, kContentType, &Attribute::name) != attributes.end();
  if (!type.empty() && !type.starts_with(kForm) && !is_said)
    attributes.push_back({std::string(kContentType), std::string(type)});
  return attributes;
}

bool is_visible(char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; }

// Returns whether a header can have the text as its value (RFC 9110, 5.5), and the value is not empty.
bool is_field_value(std::string_view text) {
  return !text.empty() && is_visible(text.front()) && is_visible(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_visible(c) || c == ' ' || c == '\t'; });
}

// Each attribute has a header line of its own, since clients, and Beast, bound the length of a line. The
// longest line has less than 13 KiB, and there are at most 64 lines.
static_assert((limits::kAttributeNameBytes + limits::kAttributeValueBytes) * 3 < 13'000);

void set_attributes(const wire::Delivery::Reader& delivery, HttpResponse& response) {
  bool has_type = false;
  for (const auto& [name, value] : convert::read(delivery.getAttributes())) {
    const bool is_type = name == kContentType && !has_type && is_field_value(value);
    if (is_type) {
      response.set(http::field::content_type, as_beast(value));
      has_type = true;
    } else {
      response.insert(as_beast(kAttribute), encoded(name) + "=" + encoded(value));
    }
  }
}

// Sets headers for what matters most of the failure record: all of it is too much for headers.
void set_failure(wire::FailureRecord::Reader failure, HttpResponse& response) {
  const auto set = [&response](std::string_view name, std::string_view value) {
    if (!value.empty()) response.set(as_beast(name), value);
  };
  const Json record = write_json(failure);
  const auto rejection = failure.getRejection();
  set("Holdfast-Failure-Cause", record.value("cause", ""));
  set("Holdfast-Failure-Category", encoded(convert::view(rejection.getCategory())));
  set("Holdfast-Failure-Code", encoded(convert::view(rejection.getCode())));
  set("Holdfast-Failure-Reason", encoded(start_of_text(convert::view(rejection.getReason()), kReasonBytes)));
  set("Holdfast-Failure-Queue", encoded(convert::view(failure.getSourceQueue())));
  set("Holdfast-Failure-At", record.value("diedAt", ""));
}

}  // namespace

std::vector<std::string_view> raw_message_headers() {
  std::vector<std::string_view> names = {kAttribute, kDurability};
  for (const MessageHeader& header : kMessageHeaders) names.push_back(header.name);
  return names;
}

std::vector<std::string_view> raw_delivery_headers() {
  return {kAttribute,
          "Holdfast-Receipt",
          "Holdfast-Id",
          "Holdfast-Deliveries",
          "Holdfast-Replays",
          "Holdfast-Sent-At",
          "Holdfast-Lease-Left",
          "Holdfast-Priority",
          "Holdfast-Group",
          "Holdfast-Failure-Cause",
          "Holdfast-Failure-Category",
          "Holdfast-Failure-Code",
          "Holdfast-Failure-Reason",
          "Holdfast-Failure-Queue",
          "Holdfast-Failure-At"};
}

Result<void> read_raw_message(const HttpRequest& request, capnp::DynamicStruct::Builder send) {
  Json message = {{"body", ""}};  // the body itself follows, since it need not be text
  for (const MessageHeader& header : kMessageHeaders) {
    const auto found = request.find(as_beast(header.name));
    if (found == request.end()) continue;
    auto value = decoded(header.name, view(found->value()));
    if (!value) return tl::unexpected(value.error());
    if (value->empty()) return wrong(header.name, "is empty");
    Json number = header.may_be_number ? parse_json(*value) : Json();
    message[std::string(header.member)] = number.is_number() ? std::move(number) : Json(*std::move(value));
  }
  Json parameters = Json::object();
  parameters["messages"].push_back(std::move(message));
  if (const auto found = request.find(as_beast(kDurability)); found != request.end())
    parameters["durability"] = view(found->value());
  if (auto ok = read_json(parameters, send); !ok) return ok;

  const auto attributes = read_attributes(request);
  if (!attributes) return tl::unexpected(attributes.error());
  auto to = send.as<wire::SendRequest>().getMessages()[0];
  to.setBody(convert::as_data(request.body()));
  convert::write(*attributes, to.initAttributes(static_cast<unsigned>(attributes->size())));
  return {};
}

HttpResponse answer_raw_send(unsigned status, const Json& sent) {
  Json answer = Json::object();
  answer["id"] = sent["ids"][0];
  answer["durability"] = sent["durability"];
  answer["duplicate"] = sent.contains("duplicates") && !sent["duplicates"].empty();
  return json_response(status, answer);
}

HttpResponse answer_raw_receive(capnp::DynamicList::Reader deliveries) {
  if (deliveries.size() == 0) return empty_response(http_status::kNoContent);
  const auto delivery = deliveries[0].as<capnp::DynamicStruct>().as<Delivery>();
  HttpResponse response =
      text_response(http_status::kOk, "application/octet-stream", convert::string(delivery.getBody()));
  set_attributes(delivery, response);
  const auto set = [&response](std::string_view name, const std::string& value) {
    response.set(as_beast(name), value);
  };
  set("Holdfast-Receipt", convert::read(delivery.getReceipt()).to_string());
  set("Holdfast-Id", convert::read(delivery.getId()).to_string());
  set("Holdfast-Deliveries", std::to_string(delivery.getDeliveries()));
  set("Holdfast-Replays", std::to_string(delivery.getReplays()));
  set("Holdfast-Sent-At", format_time(convert::timestamp(delivery.getSentAtMicros())));
  set("Holdfast-Lease-Left", format_duration(Duration(delivery.getLeaseLeftMicros())));
  set("Holdfast-Priority", std::to_string(delivery.getPriority()));
  const std::string group = convert::string(delivery.getGroup());
  if (!group.empty()) set("Holdfast-Group", encoded(group));
  if (delivery.hasFailure()) set_failure(delivery.getFailure(), response);
  return response;
}

}  // namespace holdfast::server
