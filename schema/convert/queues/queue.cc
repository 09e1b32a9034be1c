#include "schema/convert/queues/queue.h"

#include <capnp/message.h>

#include <functional>

#include "holdfast/dead_letter.h"
#include "holdfast/limits.h"
#include "schema/convert/queues/policy.h"
#include "schema/convert/queues/queue_options.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

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

// The canonical form of equal options has equal bytes.
std::string version_of(QueueId id, wire::QueueOptions::Reader options) {
  const auto words = capnp::canonicalize(options);
  const auto bytes = words.asBytes();
  std::string all(reinterpret_cast<const char*>(bytes.begin()), bytes.size());
  all += std::to_string(static_cast<std::uint64_t>(id));
  return to_string(Fingerprint{std::hash<std::string>{}(all)});
}

wire::Grouping to_wire(Grouping from) {
  switch (from) {
    case Grouping::kOrdered:
      return wire::Grouping::ORDERED;
    case Grouping::kFair:
      return wire::Grouping::FAIR;
    default:
      return wire::Grouping::NONE;
  }
}

Result<Grouping> read(wire::Grouping from, std::string_view field) {
  switch (from) {
    case wire::Grouping::NONE:
      return Grouping::kNone;
    case wire::Grouping::ORDERED:
      return Grouping::kOrdered;
    case wire::Grouping::FAIR:
      return Grouping::kFair;
    default:
      return fail(ErrorCode::kInvalidArgument,
                  std::string(field) + ": unknown value " + std::to_string(static_cast<unsigned>(from)));
  }
}

wire::Deduplication to_wire(Deduplication from) {
  switch (from) {
    case Deduplication::kById:
      return wire::Deduplication::BY_ID;
    case Deduplication::kByContent:
      return wire::Deduplication::BY_CONTENT;
    default:
      return wire::Deduplication::NONE;
  }
}

Result<Deduplication> read(wire::Deduplication from, std::string_view field) {
  switch (from) {
    case wire::Deduplication::NONE:
      return Deduplication::kNone;
    case wire::Deduplication::BY_ID:
      return Deduplication::kById;
    case wire::Deduplication::BY_CONTENT:
      return Deduplication::kByContent;
    default:
      return fail(ErrorCode::kInvalidArgument,
                  std::string(field) + ": unknown value " + std::to_string(static_cast<unsigned>(from)));
  }
}

void write(const std::vector<DeadLetterRoute>& from, capnp::List<wire::DeadLetterRoute>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setCategory(as_text(from[i].category));
    to[i].setQueue(as_text(from[i].queue));
  }
}

std::vector<DeadLetterRoute> read(capnp::List<wire::DeadLetterRoute>::Reader from) {
  std::vector<DeadLetterRoute> routes;
  for (unsigned i = 0; i < size_to_check(from, limits::kDeadLetterRoutes); ++i) {
    routes.push_back({.category = string(from[i].getCategory()), .queue = string(from[i].getQueue())});
  }
  return routes;
}

wire::DeadLetterSources::Allow to_wire(DeadLetterSources::Allow allow) {
  switch (allow) {
    case DeadLetterSources::Allow::kNone:
      return wire::DeadLetterSources::Allow::NONE;
    case DeadLetterSources::Allow::kListed:
      return wire::DeadLetterSources::Allow::LISTED;
    case DeadLetterSources::Allow::kAll:
      break;
  }
  return wire::DeadLetterSources::Allow::ALL;
}

Result<DeadLetterSources::Allow> from_wire(wire::DeadLetterSources::Allow allow) {
  switch (allow) {
    case wire::DeadLetterSources::Allow::NONE:
      return DeadLetterSources::Allow::kNone;
    case wire::DeadLetterSources::Allow::LISTED:
      return DeadLetterSources::Allow::kListed;
    case wire::DeadLetterSources::Allow::ALL:
      return DeadLetterSources::Allow::kAll;
  }
  return fail(ErrorCode::kInvalidArgument,
              "dead_letter_sources.allow: unknown value " + std::to_string(static_cast<unsigned>(allow)));
}

void write(const DeadLetterSources& from, wire::DeadLetterSources::Builder to) {
  to.setAllow(to_wire(from.allow));
  convert::write(from.queues, to.initQueues(static_cast<unsigned>(from.queues.size())));
}

Result<DeadLetterSources> read(wire::DeadLetterSources::Reader from) {
  const auto allow = from_wire(from.getAllow());
  if (!allow) return tl::unexpected(allow.error());
  return DeadLetterSources{.allow = *allow,
                           .queues = convert::read(from.getQueues(), limits::kDeadLetterSources)};
}

}  // namespace

void write(const QueueOptions& from, wire::QueueOptions::Builder to) {
  to.setMaxDeliveries(from.max_deliveries);
  to.setDeadLetterQueue(as_text(from.dead_letter_queue));
  to.setLeaseMicros(from.lease.count());
  to.setDurability(to_wire(from.durability));
  to.setDiscardRejected(from.discard_rejected);
  to.setDelayMicros(from.delay.count());
  to.setGrouping(to_wire(from.grouping));
  to.setDeduplication(to_wire(from.deduplication));
  to.setDeduplicationWindowMicros(from.deduplication_window.count());
  to.setPriorities(from.priorities);
  to.setPriorityAgingMicros(from.priority_aging.count());
  if (!from.dead_letter_routes.empty()) {
    write(from.dead_letter_routes,
          to.initDeadLetterRoutes(static_cast<unsigned>(from.dead_letter_routes.size())));
  }
  write(from.dead_letter_sources, to.initDeadLetterSources());
  to.setKeepReplayedMicros(from.keep_replayed.count());
  to.setKeepAbandonedMicros(from.keep_abandoned.count());
  if (!from.searched_attributes.empty()) {
    convert::write(from.searched_attributes,
                   to.initSearchedAttributes(static_cast<unsigned>(from.searched_attributes.size())));
  }
  to.setKeepUnresolvedMicros(from.keep_unresolved.count());
  to.setDirectSends(from.direct_sends);
  to.setParkingQueue(as_text(from.parking_queue));
  write(from.auto_redrive, to.initAutoRedrive());
  write(from.alerts, to.initAlerts());
  write(from.brake, to.initBrake());
  if (from.retry != RetryPolicy{}) write(from.retry, to.initRetry());
  to.setLifetimeMicros(from.lifetime.count());
  to.setTimeToLiveMicros(from.time_to_live.count());
  to.setOnExpiry(static_cast<wire::ExpiryPolicy>(from.on_expiry));
  to.setMaxLength(from.max_length);
  to.setOnOverflow(static_cast<wire::OverflowPolicy>(from.on_overflow));
  to.setMaxLeased(from.max_leased);
  to.setMaxBytes(from.max_bytes);
  if (from.journal != JournalOptions{}) write(from.journal, to.initJournal());
  to.setMaxBodyBytes(from.max_body_bytes);
  if (!from.tags.empty()) write(from.tags, to.initTags(static_cast<unsigned>(from.tags.size())));
}

Result<QueueOptions> read(wire::QueueOptions::Reader from) {
  const auto durability = read_durability(from.getDurability(), "options.durability");
  if (!durability) return tl::unexpected(durability.error());
  const auto grouping = read(from.getGrouping(), "options.grouping");
  if (!grouping) return tl::unexpected(grouping.error());
  const auto deduplication = read(from.getDeduplication(), "options.deduplication");
  if (!deduplication) return tl::unexpected(deduplication.error());
  auto sources = read(from.getDeadLetterSources());
  if (!sources) return tl::unexpected(sources.error());
  auto retry = read(from.getRetry());
  if (!retry) return tl::unexpected(retry.error());
  auto tags = read(from.getTags());
  if (!tags) return tl::unexpected(tags.error());
  const auto on_expiry = read(from.getOnExpiry());
  if (!on_expiry) return tl::unexpected(on_expiry.error());
  const auto on_overflow = read(from.getOnOverflow());
  if (!on_overflow) return tl::unexpected(on_overflow.error());
  return QueueOptions{
      .max_deliveries = from.getMaxDeliveries(),
      .dead_letter_queue = string(from.getDeadLetterQueue()),
      .parking_queue = string(from.getParkingQueue()),
      .auto_redrive = read(from.getAutoRedrive()),
      .alerts = read(from.getAlerts()),
      .brake = read(from.getBrake()),
      .lease = Duration(from.getLeaseMicros()),
      .durability = *durability,
      .discard_rejected = from.getDiscardRejected(),
      .delay = Duration(from.getDelayMicros()),
      .grouping = *grouping,
      .deduplication = *deduplication,
      .deduplication_window = Duration(from.getDeduplicationWindowMicros()),
      .dead_letter_routes = read(from.getDeadLetterRoutes()),
      .dead_letter_sources = std::move(*sources),
      .searched_attributes = convert::read(from.getSearchedAttributes(), limits::kSearchedAttributes),
      .keep_replayed = Duration(from.getKeepReplayedMicros()),
      .keep_abandoned = Duration(from.getKeepAbandonedMicros()),
      .keep_unresolved = Duration(from.getKeepUnresolvedMicros()),
      .direct_sends = from.getDirectSends(),
      .priorities = from.getPriorities(),
      .priority_aging = Duration(from.getPriorityAgingMicros()),
      .retry = std::move(*retry),
      .lifetime = Duration(from.getLifetimeMicros()),
      .time_to_live = Duration(from.getTimeToLiveMicros()),
      .on_expiry = *on_expiry,
      .max_length = from.getMaxLength(),
      .max_bytes = from.getMaxBytes(),
      .on_overflow = *on_overflow,
      .max_body_bytes = from.getMaxBodyBytes(),
      .max_leased = from.getMaxLeased(),
      .journal = read(from.getJournal()),
      .tags = std::move(*tags)};
}

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
  if (changes.auto_redrive) write(*changes.auto_redrive, to.getAutoRedrive().initSet());
  if (changes.alerts) write(*changes.alerts, to.getAlerts().initSet());
  if (changes.brake) write(*changes.brake, to.getBrake().initSet());
  if (changes.parking_queue) to.getParkingQueue().setSet(as_text(*changes.parking_queue));
  if (changes.lease) to.getLeaseMicros().setSet(changes.lease->count());
  if (changes.durability) to.getDurability().setSet(to_wire(changes.durability));
  if (changes.discard_rejected) to.getDiscardRejected().setSet(*changes.discard_rejected);
  if (changes.delay) to.getDelayMicros().setSet(changes.delay->count());
  if (changes.grouping) to.getGrouping().setSet(to_wire(*changes.grouping));
  if (changes.deduplication) to.getDeduplication().setSet(to_wire(*changes.deduplication));
  if (changes.priorities) to.getPriorities().setSet(*changes.priorities);
  if (changes.priority_aging) to.getPriorityAgingMicros().setSet(changes.priority_aging->count());
  if (changes.deduplication_window) {
    to.getDeduplicationWindowMicros().setSet(changes.deduplication_window->count());
  }
  if (changes.dead_letter_routes) {
    write(*changes.dead_letter_routes,
          to.getDeadLetterRoutes().initSet(static_cast<unsigned>(changes.dead_letter_routes->size())));
  }
  if (changes.keep_replayed) to.getKeepReplayedMicros().setSet(changes.keep_replayed->count());
  if (changes.keep_abandoned) to.getKeepAbandonedMicros().setSet(changes.keep_abandoned->count());
  if (changes.dead_letter_sources) write(*changes.dead_letter_sources, to.getDeadLetterSources().initSet());
  if (changes.keep_unresolved) to.getKeepUnresolvedMicros().setSet(changes.keep_unresolved->count());
  if (changes.direct_sends) to.getDirectSends().setSet(*changes.direct_sends);
  if (changes.searched_attributes) {
    convert::write(
        *changes.searched_attributes,
        to.getSearchedAttributes().initSet(static_cast<unsigned>(changes.searched_attributes->size())));
  }
  if (changes.retry) write(*changes.retry, to.getRetry().initSet());
  if (changes.lifetime) to.getLifetimeMicros().setSet(changes.lifetime->count());
  if (changes.time_to_live) to.getTimeToLiveMicros().setSet(changes.time_to_live->count());
  if (changes.on_expiry) to.getOnExpiry().setSet(static_cast<wire::ExpiryPolicy>(*changes.on_expiry));
  if (changes.max_length) to.getMaxLength().setSet(*changes.max_length);
  if (changes.on_overflow) to.getOnOverflow().setSet(static_cast<wire::OverflowPolicy>(*changes.on_overflow));
  if (changes.max_leased) to.getMaxLeased().setSet(*changes.max_leased);
  if (changes.journal) write(*changes.journal, to.getJournal().initSet());
  if (changes.max_bytes) to.getMaxBytes().setSet(*changes.max_bytes);
  if (changes.max_body_bytes) to.getMaxBodyBytes().setSet(*changes.max_body_bytes);
  if (changes.tags) write(*changes.tags, to.getTags().initSet(static_cast<unsigned>(changes.tags->size())));
}

Result<AlterQueueCall> read(wire::AlterQueueRequest::Reader from) {
  AlterQueueCall call{.name = view(from.getName()), .changes = {}};
  auto& changes = call.changes;
  if (auto field = from.getMaxDeliveries(); field.isSet()) changes.max_deliveries = field.getSet();
  if (auto field = from.getDeadLetterQueue(); field.isSet())
    changes.dead_letter_queue = string(field.getSet());
  if (auto field = from.getAutoRedrive(); field.isSet()) changes.auto_redrive = read(field.getSet());
  if (auto field = from.getAlerts(); field.isSet()) changes.alerts = read(field.getSet());
  if (auto field = from.getBrake(); field.isSet()) changes.brake = read(field.getSet());
  if (auto field = from.getParkingQueue(); field.isSet()) changes.parking_queue = string(field.getSet());
  if (auto field = from.getLeaseMicros(); field.isSet()) changes.lease = Duration(field.getSet());
  if (auto field = from.getDiscardRejected(); field.isSet()) changes.discard_rejected = field.getSet();
  if (auto field = from.getDelayMicros(); field.isSet()) changes.delay = Duration(field.getSet());
  if (auto field = from.getDeadLetterRoutes(); field.isSet())
    changes.dead_letter_routes = read(field.getSet());
  if (auto field = from.getDeadLetterSources(); field.isSet()) {
    auto sources = read(field.getSet());
    if (!sources) return tl::unexpected(sources.error());
    changes.dead_letter_sources = std::move(*sources);
  }
  if (auto field = from.getKeepReplayedMicros(); field.isSet())
    changes.keep_replayed = Duration(field.getSet());
  if (auto field = from.getKeepAbandonedMicros(); field.isSet())
    changes.keep_abandoned = Duration(field.getSet());
  if (auto field = from.getKeepUnresolvedMicros(); field.isSet())
    changes.keep_unresolved = Duration(field.getSet());
  if (auto field = from.getDirectSends(); field.isSet()) changes.direct_sends = field.getSet();
  if (auto field = from.getSearchedAttributes(); field.isSet())
    changes.searched_attributes = convert::read(field.getSet(), limits::kSearchedAttributes);
  if (auto field = from.getLifetimeMicros(); field.isSet()) changes.lifetime = Duration(field.getSet());
  if (auto field = from.getRetry(); field.isSet()) {
    auto retry = read(field.getSet());
    if (!retry) return tl::unexpected(retry.error());
    changes.retry = std::move(*retry);
  }
  if (auto field = from.getTimeToLiveMicros(); field.isSet()) changes.time_to_live = Duration(field.getSet());
  if (auto field = from.getOnExpiry(); field.isSet()) {
    const auto on_expiry = read(field.getSet());
    if (!on_expiry) return tl::unexpected(on_expiry.error());
    changes.on_expiry = *on_expiry;
  }
  if (auto field = from.getMaxLength(); field.isSet()) changes.max_length = field.getSet();
  if (auto field = from.getOnOverflow(); field.isSet()) {
    const auto on_overflow = read(field.getSet());
    if (!on_overflow) return tl::unexpected(on_overflow.error());
    changes.on_overflow = *on_overflow;
  }
  if (auto field = from.getMaxLeased(); field.isSet()) changes.max_leased = field.getSet();
  if (auto field = from.getJournal(); field.isSet()) changes.journal = read(field.getSet());
  if (auto field = from.getMaxBytes(); field.isSet()) changes.max_bytes = field.getSet();
  if (auto field = from.getMaxBodyBytes(); field.isSet()) changes.max_body_bytes = field.getSet();
  if (auto field = from.getTags(); field.isSet()) {
    auto tags = read(field.getSet());
    if (!tags) return tl::unexpected(tags.error());
    changes.tags = std::move(*tags);
  }
  if (auto field = from.getDurability(); field.isSet()) {
    const auto durability = read_durability(field.getSet(), "durability");
    if (!durability) return tl::unexpected(durability.error());
    changes.durability = *durability;
  }
  if (auto field = from.getGrouping(); field.isSet()) {
    const auto grouping = read(field.getSet(), "grouping");
    if (!grouping) return tl::unexpected(grouping.error());
    changes.grouping = *grouping;
  }
  if (auto field = from.getDeduplication(); field.isSet()) {
    const auto deduplication = read(field.getSet(), "deduplication");
    if (!deduplication) return tl::unexpected(deduplication.error());
    changes.deduplication = *deduplication;
  }
  if (auto field = from.getPriorities(); field.isSet()) changes.priorities = field.getSet();
  if (auto field = from.getPriorityAgingMicros(); field.isSet()) {
    changes.priority_aging = Duration(field.getSet());
  }
  if (auto field = from.getDeduplicationWindowMicros(); field.isSet()) {
    changes.deduplication_window = Duration(field.getSet());
  }
  return call;
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
