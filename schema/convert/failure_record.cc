#include "convert/bytes.h"
#include "convert/dead_letter.h"
#include "convert/value.h"

namespace holdfast::convert {
namespace {

wire::DeathCause to_wire(DeathCause from) {
  switch (from) {
    case DeathCause::kMaxDeliveries:
      return wire::DeathCause::MAX_DELIVERIES;
    case DeathCause::kRejected:
      return wire::DeathCause::REJECTED;
  }
  return wire::DeathCause::UNKNOWN;
}

Result<DeathCause> read(wire::DeathCause from) {
  switch (from) {
    case wire::DeathCause::MAX_DELIVERIES:
      return DeathCause::kMaxDeliveries;
    case wire::DeathCause::REJECTED:
      return DeathCause::kRejected;
    default:
      return fail(ErrorCode::kInvalidArgument,
                  "record.cause: unknown value " + std::to_string(static_cast<unsigned>(from)));
  }
}

}  // namespace

void write(const FailureRecord& from, wire::FailureRecord::Builder to) {
  write(from.message_id, to.initMessageId());
  to.setSourceQueueId(static_cast<std::uint64_t>(from.source_queue_id));
  to.setSourceQueue(as_text(from.source_queue));
  to.setSourceSeq(static_cast<std::uint64_t>(from.source_seq));
  to.setSentAtMicros(micros(from.sent_at));
  to.setCause(to_wire(from.cause));
  auto rejection = to.initRejection();
  rejection.setCategory(as_text(from.category));
  rejection.setReason(as_text(from.reason));
  rejection.setCode(as_text(from.code));
  rejection.setStackTrace(as_text(from.stack_trace));
  to.setDeliveries(from.deliveries);
  to.setReplays(from.replays);
  to.setFirstFailedAtMicros(micros(from.first_failed_at));
  to.setLastFailedAtMicros(micros(from.last_failed_at));
  to.setDiedAtMicros(micros(from.died_at));
  write(from.consumer, to.initConsumer());
  to.setCorrelationId(as_data(from.correlation_id));
  to.setGroup(as_data(from.group));
}

Result<FailureRecord> read(wire::FailureRecord::Reader from) {
  const auto cause = read(from.getCause());
  if (!cause) return tl::unexpected(cause.error());
  auto rejection = read(from.getRejection());
  return FailureRecord{.message_id = read(from.getMessageId()),
                       .source_queue_id = QueueId(from.getSourceQueueId()),
                       .source_queue = string(from.getSourceQueue()),
                       .source_seq = Seq(from.getSourceSeq()),
                       .sent_at = timestamp(from.getSentAtMicros()),
                       .cause = *cause,
                       .category = std::move(rejection.category),
                       .reason = std::move(rejection.reason),
                       .code = std::move(rejection.code),
                       .stack_trace = std::move(rejection.stack_trace),
                       .deliveries = from.getDeliveries(),
                       .replays = from.getReplays(),
                       .first_failed_at = timestamp(from.getFirstFailedAtMicros()),
                       .last_failed_at = timestamp(from.getLastFailedAtMicros()),
                       .died_at = timestamp(from.getDiedAtMicros()),
                       .consumer = read(from.getConsumer()),
                       .correlation_id = string(from.getCorrelationId()),
                       .group = string(from.getGroup())};
}

}  // namespace holdfast::convert
