#include "schema/convert/queues/queue_conversion.h"

#include <capnp/message.h>

#include <functional>

#include "schema/convert/queues/policy_conversion.h"
#include "schema/convert/values/bytes.h"

namespace holdfast::convert {
namespace {

void write(const QueueCounts& from, wire::QueueInfo::Counts::Builder to) {
  to.setReady(from.ready);
  to.setWaiting(from.waiting);
  to.setLeased(from.leased);
  to.setDead(from.dead);
}

QueueCounts read(wire::QueueInfo::Counts::Reader from) {
  return {.ready = from.getReady(),
          .waiting = from.getWaiting(),
          .leased = from.getLeased(),
          .dead = from.getDead()};
}

void write(const QueueTotals& from, wire::QueueInfo::Totals::Builder to) {
  to.setSent(from.sent);
  to.setDelivered(from.delivered);
  to.setAcked(from.acked);
  to.setDeadLettered(from.dead_lettered);
  to.setDiscarded(from.discarded);
  to.setRedriven(from.redriven);
  to.setParked(from.parked);
  to.setExpired(from.expired);
  to.setOverflowed(from.overflowed);
}

QueueTotals read(wire::QueueInfo::Totals::Reader from) {
  return {.sent = from.getSent(),
          .delivered = from.getDelivered(),
          .acked = from.getAcked(),
          .dead_lettered = from.getDeadLettered(),
          .discarded = from.getDiscarded(),
          .redriven = from.getRedriven(),
          .parked = from.getParked(),
          .expired = from.getExpired(),
          .overflowed = from.getOverflowed()};
}

// Equal options have equal bytes in the canonical form.
std::string version_of(QueueId id, wire::QueueOptions::Reader options) {
  const auto words = capnp::canonicalize(options);
  const auto bytes = words.asBytes();
  std::string all(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  all += std::to_string(static_cast<std::uint64_t>(id));
  return to_string(Fingerprint{std::hash<std::string>{}(all)});
}

}  // namespace

void write(const QueueInfo& from, wire::QueueInfo::Builder to) {
  to.setName(as_text(from.name));
  to.setId(static_cast<std::uint64_t>(from.id));
  to.setCreatedAtMicros(micros(from.created_at));
  write(from.options, to.initOptions());
  write(from.counts, to.getCounts());
  to.setBytes(from.bytes);
  write(from.totals, to.getTotals());
  write(from.alerts, to.initAlerts(static_cast<unsigned>(from.alerts.size())));
  to.setBrakedUntilMicros(micros(from.braked_until));
  to.getPaused().setDeliveries(from.paused.deliveries);
  to.getPaused().setSends(from.paused.sends);
  to.setVersion(as_text(version_of(from.id, to.getOptions())));
}

Result<QueueInfo> read(wire::QueueInfo::Reader from) {
  auto options = read(from.getOptions());
  if (!options) return tl::unexpected(options.error());
  return QueueInfo{
      .name = string(from.getName()),
      .id = QueueId(from.getId()),
      .created_at = timestamp(from.getCreatedAtMicros()),
      .options = std::move(*options),
      .counts = read(from.getCounts()),
      .bytes = from.getBytes(),
      .totals = read(from.getTotals()),
      .alerts = read(from.getAlerts()),
      .braked_until = timestamp(from.getBrakedUntilMicros()),
      .paused = {.deliveries = from.getPaused().getDeliveries(), .sends = from.getPaused().getSends()}};
}

void write(std::string_view name, const QueueOptions& options, MissingQueues missing,
           wire::CreateQueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
  write(options, to.initOptions());
  to.setCreateMissing(missing == MissingQueues::kCreate);
}

Result<CreateQueueCall> read(wire::CreateQueueRequest::Reader from) {
  auto options = read(from.getOptions());
  if (!options) return tl::unexpected(options.error());
  return CreateQueueCall{
      .name = view(from.getName()),
      .options = std::move(*options),
      .missing = from.getCreateMissing() ? MissingQueues::kCreate : MissingQueues::kRefuse};
}

void write(std::string_view name, Pause what, wire::PauseRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
  to.setDeliveries(what.deliveries);
  to.setSends(what.sends);
}

PauseCall read(wire::PauseRequest::Reader from) {
  return {.name = view(from.getName()),
          .what = {.deliveries = from.getDeliveries(), .sends = from.getSends()}};
}

void write(std::string_view name, wire::DeleteQueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
}

void write(std::string_view name, wire::QueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
}

std::string_view read(wire::QueueRequest::Reader from) { return view(from.getName()); }

}  // namespace holdfast::convert
