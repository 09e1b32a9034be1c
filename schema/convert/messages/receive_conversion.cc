#include "schema/convert/messages/receive_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {

void write(const Delivery& from, wire::Delivery::Builder to) {
  convert::write(from.receipt, to.initReceipt());
  convert::write(from.id, to.initId());
  to.setBody(as_data(from.body));
  if (!from.attributes.empty()) {
    convert::write(from.attributes, to.initAttributes(static_cast<unsigned>(from.attributes.size())));
  }
  if (!from.group.empty()) to.setGroup(as_data(from.group));
  to.setPriority(from.priority);
  to.setSentAtMicros(micros(from.sent_at));
  to.setLeaseExpiresAtMicros(micros(from.lease_expires_at));
  to.setLeaseLeftMicros(from.lease_left.count());
  to.setDeliveries(from.deliveries);
  to.setReplays(from.replays);
  if (from.failure) write(*from.failure, to.initFailure());
}

namespace {

// Returns the failure record. A record of a newer server that this version cannot read is left out, since the
// message matters more.
std::shared_ptr<const FailureRecord> failure_of(wire::Delivery::Reader from) {
  if (!from.hasFailure()) return nullptr;
  auto record = convert::read(from.getFailure());
  return record ? std::make_shared<const FailureRecord>(std::move(*record)) : nullptr;
}

}  // namespace

Delivery read(wire::Delivery::Reader from, const std::shared_ptr<const void>& storage) {
  return {.receipt = convert::read(from.getReceipt()),
          .id = convert::read(from.getId()),
          .body = view(from.getBody()),
          .attributes = convert::read(from.getAttributes()),
          .group = string(from.getGroup()),
          .priority = from.getPriority(),
          .sent_at = timestamp(from.getSentAtMicros()),
          .lease_expires_at = timestamp(from.getLeaseExpiresAtMicros()),
          .lease_left = Duration(from.getLeaseLeftMicros()),
          .deliveries = from.getDeliveries(),
          .replays = from.getReplays(),
          .failure = failure_of(from),
          .storage = storage};
}

void write(std::string_view queue, const ReceiveOptions& options, wire::ReceiveRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  to.setMax(saturated(options.max));
  if (options.lease) to.getLease().setMicros(options.lease->count());
  to.setWaitMicros(options.wait.count());
  to.setPrefetch(options.prefetch);
  if (options.consumer != Consumer{}) write(options.consumer, to.initConsumer());
}

Result<ReceiveCall> read(wire::ReceiveRequest::Reader from) {
  if (auto ok = check_count("max", from.getMax(), limits::kReceiveMax); !ok) {
    return tl::unexpected(ok.error());
  }
  ReceiveCall call{.queue = view(from.getQueue()), .options = {.max = from.getMax()}};
  const auto lease = from.getLease();
  if (lease.isMicros()) call.options.lease = Duration(lease.getMicros());
  call.options.wait = Duration(from.getWaitMicros());
  call.options.consumer = read(from.getConsumer());
  call.options.prefetch = from.getPrefetch();
  return call;
}

void write(const Result<Deliveries>& from, wire::ReceiveReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto list = to.initDeliveries(static_cast<unsigned>(from->size()));
  for (unsigned i = 0; i < list.size(); ++i) write((*from)[i], list[i]);
}

Result<Deliveries> read(wire::ReceiveReply::Reader from, const std::shared_ptr<const void>& storage) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto list = at_most(limits::kReceiveMax, from.getDeliveries());
  Deliveries deliveries;
  deliveries.reserve(list.size());
  for (auto delivery : list) deliveries.push_back(read(delivery, storage));
  return deliveries;
}

}  // namespace holdfast::convert
