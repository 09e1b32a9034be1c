#include "convert/queue.h"

#include "convert/bytes.h"
#include "convert/error.h"
#include "convert/value.h"

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
}

QueueTotals read(wire::QueueInfo::Totals::Reader from) {
  return {.sent = from.getSent(),
          .delivered = from.getDelivered(),
          .acked = from.getAcked(),
          .dead_lettered = from.getDeadLettered(),
          .discarded = from.getDiscarded(),
          .redriven = from.getRedriven()};
}

}  // namespace

void write(const QueueOptions& from, wire::QueueOptions::Builder to) {
  to.setMaxDeliveries(from.max_deliveries);
  to.setDeadLetterQueue(as_text(from.dead_letter_queue));
  to.setLeaseMicros(from.lease.count());
  to.setDurability(to_wire(from.durability));
  to.setDiscardRejected(from.discard_rejected);
  to.setDelayMicros(from.delay.count());
}

Result<QueueOptions> read(wire::QueueOptions::Reader from) {
  const auto durability = read_durability(from.getDurability(), "options.durability");
  if (!durability) return tl::unexpected(durability.error());
  return QueueOptions{.max_deliveries = from.getMaxDeliveries(),
                      .dead_letter_queue = string(from.getDeadLetterQueue()),
                      .lease = Duration(from.getLeaseMicros()),
                      .durability = *durability,
                      .discard_rejected = from.getDiscardRejected(),
                      .delay = Duration(from.getDelayMicros())};
}

void write(const QueueInfo& from, wire::QueueInfo::Builder to) {
  to.setName(as_text(from.name));
  to.setId(static_cast<std::uint64_t>(from.id));
  to.setCreatedAtMicros(micros(from.created_at));
  write(from.options, to.initOptions());
  write(from.counts, to.getCounts());
  write(from.totals, to.getTotals());
}

Result<QueueInfo> read(wire::QueueInfo::Reader from) {
  auto options = read(from.getOptions());
  if (!options) return tl::unexpected(options.error());
  return QueueInfo{.name = string(from.getName()),
                   .id = QueueId(from.getId()),
                   .created_at = timestamp(from.getCreatedAtMicros()),
                   .options = std::move(*options),
                   .counts = read(from.getCounts()),
                   .totals = read(from.getTotals())};
}

void write(std::string_view name, const QueueOptions& options, wire::CreateQueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
  write(options, to.initOptions());
}

Result<CreateQueueCall> read(wire::CreateQueueRequest::Reader from) {
  auto options = read(from.getOptions());
  if (!options) return tl::unexpected(options.error());
  return CreateQueueCall{.name = view(from.getName()), .options = std::move(*options)};
}

void write(std::string_view name, const QueueChanges& changes, wire::AlterQueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
  if (changes.max_deliveries) to.getMaxDeliveries().setSet(*changes.max_deliveries);
  if (changes.dead_letter_queue) to.getDeadLetterQueue().setSet(as_text(*changes.dead_letter_queue));
  if (changes.lease) to.getLeaseMicros().setSet(changes.lease->count());
  if (changes.durability) to.getDurability().setSet(to_wire(changes.durability));
  if (changes.discard_rejected) to.getDiscardRejected().setSet(*changes.discard_rejected);
  if (changes.delay) to.getDelayMicros().setSet(changes.delay->count());
}

Result<AlterQueueCall> read(wire::AlterQueueRequest::Reader from) {
  AlterQueueCall call{.name = view(from.getName()), .changes = {}};
  auto& changes = call.changes;
  if (auto field = from.getMaxDeliveries(); field.isSet()) changes.max_deliveries = field.getSet();
  if (auto field = from.getDeadLetterQueue(); field.isSet())
    changes.dead_letter_queue = string(field.getSet());
  if (auto field = from.getLeaseMicros(); field.isSet()) changes.lease = Duration(field.getSet());
  if (auto field = from.getDiscardRejected(); field.isSet()) changes.discard_rejected = field.getSet();
  if (auto field = from.getDelayMicros(); field.isSet()) changes.delay = Duration(field.getSet());
  if (auto field = from.getDurability(); field.isSet()) {
    const auto durability = read_durability(field.getSet(), "durability");
    if (!durability) return tl::unexpected(durability.error());
    changes.durability = *durability;
  }
  return call;
}

void write(std::string_view name, wire::QueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
}

std::string_view read(wire::QueueRequest::Reader from) { return view(from.getName()); }

}  // namespace holdfast::convert
