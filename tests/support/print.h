// How GoogleTest prints the project's types.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "holdfast/dead_letter.h"
#include "holdfast/error.h"
#include "holdfast/event.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "holdfast/time.h"

namespace holdfast {

// NOLINTBEGIN(readability-identifier-naming): PrintTo is the name that GoogleTest looks for.

inline void PrintTo(ErrorCode code, std::ostream* out) { *out << error_info(code).name; }
inline void PrintTo(const Error& error, std::ostream* out) { *out << to_string(error); }
inline void PrintTo(const MessageId& id, std::ostream* out) { *out << id.to_string(); }
inline void PrintTo(const Receipt& receipt, std::ostream* out) { *out << receipt.to_string(); }
inline void PrintTo(QueueId id, std::ostream* out) { *out << "queue#" << static_cast<std::uint64_t>(id); }
inline void PrintTo(Seq seq, std::ostream* out) { *out << "seq#" << static_cast<std::uint64_t>(seq); }
inline void PrintTo(DeathCause cause, std::ostream* out) { *out << to_string(cause); }
inline void PrintTo(EventKind kind, std::ostream* out) { *out << to_string(kind); }
inline void PrintTo(Durability durability, std::ostream* out) {
  *out << (durability == Durability::kFsync ? "fsync" : "buffered");
}

inline void PrintTo(const Attribute& attribute, std::ostream* out) {
  *out << ::testing::PrintToString(attribute.name) << ": " << ::testing::PrintToString(attribute.value);
}

inline void PrintTo(const Consumer& consumer, std::ostream* out) {
  *out << consumer.instance << "@" << consumer.version;
}

inline void PrintTo(const QueueCounts& counts, std::ostream* out) {
  *out << "{ready " << counts.ready << ", waiting " << counts.waiting << ", leased " << counts.leased
       << ", dead " << counts.dead << "}";
}

inline void PrintTo(const QueueTotals& totals, std::ostream* out) {
  *out << "{sent " << totals.sent << ", delivered " << totals.delivered << ", acked " << totals.acked
       << ", dead_lettered " << totals.dead_lettered << ", discarded " << totals.discarded << ", redriven "
       << totals.redriven << ", parked " << totals.parked << ", expired " << totals.expired << ", overflowed "
       << totals.overflowed << "}";
}

inline void PrintTo(const QueueOptions& options, std::ostream* out) {
  *out << "{max_deliveries " << options.max_deliveries << ", dead_letter_queue '" << options.dead_letter_queue
       << "', lease " << options.lease.count() << "us, durability "
       << ::testing::PrintToString(options.durability) << ", discard_rejected " << options.discard_rejected
       << ", delay " << options.delay.count() << "us, grouping " << static_cast<int>(options.grouping)
       << ", deduplication " << static_cast<int>(options.deduplication) << " within "
       << options.deduplication_window.count() << "us, priorities " << options.priorities << " aging "
       << options.priority_aging.count() << "us"
       << ", retry " << static_cast<int>(options.retry.kind) << " " << options.retry.base.count() << "us.."
       << options.retry.cap.count() << "us, " << options.retry.stages.size() << " stages, jitter "
       << options.retry.jitter << ", lifetime " << options.lifetime.count() << "us, time_to_live "
       << options.time_to_live.count() << "us, on_expiry " << static_cast<int>(options.on_expiry) << ", "
       << options.tags.size() << " tags}";
}

inline void PrintTo(const FailureRecord& record, std::ostream* out) {
  *out << "{" << record.message_id.to_string() << " from " << record.source_queue << ", cause "
       << to_string(record.cause) << ", category '" << record.category << "', reason '" << record.reason
       << "', code '" << record.code << "', deliveries " << record.deliveries << ", replays "
       << record.replays << ", failed " << record.first_failed_at.time_since_epoch().count() << ".."
       << record.last_failed_at.time_since_epoch().count() << ", died "
       << record.died_at.time_since_epoch().count();
  if (record.first_death)
    *out << ", first '" << record.first_death->category << "' '" << record.first_death->reason << "' in "
         << record.first_death->source_queue;
  *out << "}";
}

inline void PrintTo(const TaskStatus& status, std::ostream* out) {
  *out << "{task " << static_cast<std::uint64_t>(status.id) << " of '" << status.queue << "' to '"
       << status.to << "': " << to_string(status.state) << ", moved " << status.moved << ", parked "
       << status.parked << ", left '" << to_string(status.left) << "', total " << status.total << ", by '"
       << status.actor << "', cancelled by '" << status.cancelled_by << "', error '" << status.error << "'}";
}

inline void PrintTo(const LeftInPlace& left, std::ostream* out) { *out << "{" << to_string(left) << "}"; }

template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  *out << (result ? "ok" : to_string(result.error()));
}

// NOLINTEND(readability-identifier-naming)

}  // namespace holdfast
