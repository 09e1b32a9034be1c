#include "server/http/streams/delivery_events.h"

#include <algorithm>
#include <utility>

#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/value.h"
#include "server/calls/direct_call.h"

namespace holdfast::server {
namespace {

using std::chrono::milliseconds;

// Something is sent this often, since proxies hang up on connections that are silent for a minute.
constexpr std::chrono::seconds kLongestSilence(15);
constexpr std::string_view kComment = ": no messages\n\n";
constexpr std::string_view kFullComment = ": you hold as many deliveries as you may\n\n";

std::string event(std::string_view name, const Json& data) {
  return "event: " + std::string(name) +
         "\ndata: " + data.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n\n";
}

// Returns how long to wait before the next look at a client that has held `max` for `time`. The looks are
// few, and what they add to the time that the client takes is an eighth of it at most, or a millisecond.
std::chrono::steady_clock::duration until_next_look(std::chrono::steady_clock::duration time) {
  return std::clamp<std::chrono::steady_clock::duration>(time / 8, milliseconds(1), milliseconds(50));
}

}  // namespace

std::vector<Receipt> receipts_in(capnp::DynamicStruct::Reader reply) {
  std::vector<Receipt> receipts;
  for (const auto delivery : reply.as<wire::ReceiveReply>().getDeliveries())
    receipts.push_back(convert::read(delivery.getReceipt()));
  return receipts;
}

DeliveryEvents::DeliveryEvents(std::shared_ptr<const Caller> caller, wire::ReceiveRequest::Reader request)
    : caller_(std::move(caller)), max_held_(request.getMax()), request_(write_json(request)) {
  request_["wait"] = format_duration(kLongestSilence);
}

std::string DeliveryEvents::events(capnp::DynamicStruct::Reader reply) {
  Engine& engine = caller_->state().engine;
  std::vector<Receipt> receipts = receipts_in(reply);
  held_.add(engine, receipts);
  unsent_ = std::make_unique<UnsentDeliveries>(engine, std::move(receipts));
  ends_.clear();
  std::string text;
  for (auto delivery : reply.get("deliveries").as<capnp::DynamicList>()) {
    text += event("delivery", write_json(delivery.as<capnp::DynamicStruct>()));
    ends_.push_back(text.size());
  }
  return text.empty() ? std::string(kComment) : text;
}

void DeliveryEvents::cut_off(std::size_t bytes) {
  const auto sent = std::ranges::upper_bound(ends_, bytes) - ends_.begin();
  if (unsent_) unsent_->sent(static_cast<std::size_t>(sent));
}

std::string DeliveryEvents::end(const Error& error) {
  over_ = true;
  return event("end", {{"code", error_info(error.code).name}, {"detail", error.message}});
}

kj::Promise<std::string> DeliveryEvents::next() {
  if (unsent_) unsent_->sent();
  unsent_ = nullptr;
  if (over_) return std::string();
  return go_on(std::chrono::steady_clock::now());
}

// A caller that may not receive any more is told so at once, by the receive that is refused: it may hold what
// it has for hours.
kj::Promise<std::string> DeliveryEvents::go_on(std::chrono::steady_clock::time_point since) {
  const State& state = caller_->state();
  const std::size_t held = held_.count(state.engine);
  const bool is_refused = state.draining || state.stopping || caller_->is_revoked();
  if (held < max_held_ || is_refused)
    return receive(std::max<std::size_t>(max_held_ - std::min(held, max_held_), 1));
  const auto time = std::chrono::steady_clock::now() - since;
  if (time >= kLongestSilence) return std::string(kFullComment);
  return caller_->state().port.after(until_next_look(time)).then([this, since] { return go_on(since); });
}

kj::Promise<std::string> DeliveryEvents::receive(std::size_t max) {
  request_["max"] = max;
  auto call = kj::heap<DirectCall>(caller_, "receive");
  // The request was made by write_json(), so it can be read.
  (void)read_json(request_, call->asked());
  return DirectCall::make(kj::mv(call))
      .then(
          [this](kj::Own<DirectCall> answered) {
            const auto reply = answered->answer();
            const auto error = reply.as<wire::ReceiveReply>();
            return error.isError() ? end(convert::read(error.getError())) : events(reply);
          },
          [this](kj::Exception&& why) {
            return end({ErrorCode::kInternal, why.getDescription().cStr()});
          });
}

}  // namespace holdfast::server
