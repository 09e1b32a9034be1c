#include "server/http/streams/delivery_events.h"

#include <capnp/dynamic.h>

#include <algorithm>
#include <chrono>

#include "schema/convert/values/error.h"

namespace holdfast::server {
namespace {

// Proxies hang up on what is silent for a minute.
constexpr Duration kSilence = std::chrono::seconds(15);
constexpr std::string_view kComment = ": no messages\n\n";

std::string event(std::string_view name, const Json& data) {
  return "event: " + std::string(name) +
         "\ndata: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n";
}

std::string end_of(const Error& error) {
  return event("end", {{"code", error_info(error.code).name}, {"detail", error.message}});
}

}  // namespace

DeliveryEvents::DeliveryEvents(wire::Broker::Client broker, wire::ReceiveRequest::Reader request)
    : broker_(kj::mv(broker)), request_(write_json(request)) {
  request_["wait"] = format_duration(kSilence);
}

std::string DeliveryEvents::events(capnp::DynamicStruct::Reader reply) {
  std::string text;
  for (auto delivery : reply.get("deliveries").as<capnp::DynamicList>())
    text += event("delivery", write_json(delivery.as<capnp::DynamicStruct>()));
  return text.empty() ? std::string(kComment) : text;
}

kj::Promise<std::string> DeliveryEvents::next() {
  if (over_) return std::string();
  capnp::DynamicCapability::Client broker = wire::Broker::Client(broker_);  // which it takes away
  auto call = broker.newRequest("receive");
  (void)read_json(request_, call);  // which write_json() has made
  return call.send().then(
      [this](auto reply) {
        const auto answer = reply.template as<wire::ReceiveReply>();
        if (!answer.isError()) return events(reply);
        over_ = true;
        return end_of(convert::read(answer.getError()));
      },
      [this](kj::Exception&& why) {
        over_ = true;
        return end_of({ErrorCode::kInternal, why.getDescription().cStr()});
      });
}

}  // namespace holdfast::server
