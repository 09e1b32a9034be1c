#include "server/http/streams/delivery_events.h"

#include <algorithm>
#include <chrono>

#include "schema/convert/values/error_conversion.h"
#include "server/calls/direct_call.h"

namespace holdfast::server {
namespace {

// Something is sent this often, since proxies hang up on connections that are silent for a minute.
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

DeliveryEvents::DeliveryEvents(std::shared_ptr<const Caller> caller, wire::ReceiveRequest::Reader request)
    : caller_(std::move(caller)), request_(write_json(request)) {
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
  auto call = kj::heap<DirectCall>(caller_, "receive");
  // The request was made by write_json(), so it can be read.
  (void)read_json(request_, call->asked());
  return DirectCall::make(kj::mv(call))
      .then(
          [this](kj::Own<DirectCall> answered) {
            const auto reply = answered->answer<wire::ReceiveReply>();
            if (!reply.isError()) return events(reply);
            over_ = true;
            return end_of(convert::read(reply.getError()));
          },
          [this](kj::Exception&& why) {
            over_ = true;
            return end_of({ErrorCode::kInternal, why.getDescription().cStr()});
          });
}

}  // namespace holdfast::server
