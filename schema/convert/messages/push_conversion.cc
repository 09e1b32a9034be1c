#include "schema/convert/messages/push_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {

void write(std::string_view queue, const ReceiveOptions& options, wire::SubscribeRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  to.setCredit(saturated(options.max));
  if (options.lease) to.getLease().setMicros(options.lease->count());
  to.setPrefetch(options.prefetch);
  if (options.consumer != Consumer{}) write(options.consumer, to.initConsumer());
}

Result<SubscribeCall> read(wire::SubscribeRequest::Reader from) {
  if (from.getCredit() == 0) return fail(ErrorCode::kInvalidArgument, "credit: 0, not at least 1");
  if (auto ok = check_count("credit", from.getCredit(), limits::kReceiveMax); !ok) {
    return tl::unexpected(ok.error());
  }
  if (!from.hasSink()) return fail(ErrorCode::kInvalidArgument, "sink: there is none");
  SubscribeCall call{.queue = view(from.getQueue()), .options = {.max = from.getCredit()}};
  const auto lease = from.getLease();
  if (lease.isMicros()) call.options.lease = Duration(lease.getMicros());
  call.options.consumer = read(from.getConsumer());
  call.options.prefetch = from.getPrefetch();
  return call;
}

void write(std::span<const Delivery> from, wire::DeliverySink::DeliverParams::Builder to) {
  auto list = to.initDeliveries(static_cast<unsigned>(from.size()));
  for (unsigned i = 0; i < list.size(); ++i) write(from[i], list[i]);
}

Deliveries read(wire::DeliverySink::DeliverParams::Reader from, const std::shared_ptr<const void>& storage) {
  const auto list = at_most(limits::kReceiveMax, from.getDeliveries());
  Deliveries deliveries;
  deliveries.reserve(list.size());
  for (auto delivery : list) deliveries.push_back(read(delivery, storage));
  return deliveries;
}

}  // namespace holdfast::convert
