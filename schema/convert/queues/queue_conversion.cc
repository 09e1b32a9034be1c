#include "schema/convert/queues/queue_conversion.h"

#include <capnp/message.h>

#include <functional>

#include "holdfast/limits.h"
#include "schema/convert/queues/policy_conversion.h"

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

// A client takes no more entries from a list than an honest answer has room for.
constexpr std::size_t kQueuesThatFit =
    limits::kBatchBytes / (capnp::sizeInWords<wire::QueueInfo>() * sizeof(capnp::word));

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

void write(const Result<std::vector<QueueInfo>>& from, wire::ListQueuesReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto queues = to.initQueues(static_cast<unsigned>(from->size()));
  for (unsigned i = 0; i < queues.size(); ++i) write((*from)[i], queues[i]);
}

Result<std::vector<QueueInfo>> read(wire::ListQueuesReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto list = at_most(kQueuesThatFit, from.getQueues());
  std::vector<QueueInfo> queues;
  queues.reserve(list.size());
  for (auto queue : list) {
    auto info = read(queue);
    if (!info) return tl::unexpected(as_server_fault(info.error()));
    // An entry that takes no bytes has no name, and a message can claim to have very many of those.
    if (info->name.empty()) return fail(ErrorCode::kInternal, "queues: the server lists one without a name");
    queues.push_back(std::move(*info));
  }
  return queues;
}

}  // namespace holdfast::convert
