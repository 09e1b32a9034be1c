#include "server/alerts/webhook_batch.h"

#include "engine/codec/encoding/json.h"

namespace holdfast::server {
namespace {

Json to_json(const Event& event) {
  Json object{{"kind", to_string(event.kind)},
              {"time_ms", event.time.time_since_epoch() / std::chrono::milliseconds(1)},
              {"queue", event.queue}};
  if (event.kind != EventKind::kDied) {
    object["rule"] = event.text;
    object["value"] = event.count;
    return object;
  }
  object["dead_letter_queue"] = event.target;
  if (event.message) object["message_id"] = event.message->to_string();
  if (event.cause) object["cause"] = to_string(*event.cause);
  object["category"] = event.category;
  object["reason"] = event.text;
  object["deliveries"] = event.count;
  return object;
}

}  // namespace

std::string webhook_batch(std::span<const Event> events, std::uint64_t dropped) {
  Json list = Json::array();
  for (const Event& event : events) list.push_back(to_json(event));
  const Json object{{"events", std::move(list)}, {"dropped", dropped}};
  return dump_json(object);
}

}  // namespace holdfast::server
