#include "schema/convert/messages/message_history_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/enums.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

void write(const HistoryStep& from, wire::HistoryStep::Builder to) {
  to.setAtMicros(micros(from.at));
  to.setKind(same_number<wire::StepKind>(from.kind));
  to.setQueue(as_text(from.queue));
  if (!from.to.empty()) to.setTo(as_text(from.to));
  to.setSeq(static_cast<std::uint64_t>(from.seq));
  to.setDeliveries(from.deliveries);
  if (from.consumer != Consumer{}) convert::write(from.consumer, to.initConsumer());
  to.setUntilMicros(micros(from.until));
  to.setCause(static_cast<std::uint16_t>(from.cause));
  if (!from.category.empty()) to.setCategory(as_text(from.category));
  if (!from.reason.empty()) to.setReason(as_text(from.reason));
}

Result<HistoryStep> read(wire::HistoryStep::Reader from) {
  const auto kind = read_number<StepKind>(from.getKind(), wire::StepKind::ARCHIVED, "kind");
  if (!kind) return tl::unexpected(kind.error());
  return HistoryStep{.at = timestamp(from.getAtMicros()),
                     .kind = *kind,
                     .queue = string(from.getQueue()),
                     .to = string(from.getTo()),
                     .seq = Seq(from.getSeq()),
                     .deliveries = from.getDeliveries(),
                     .consumer = convert::read(from.getConsumer()),
                     .until = timestamp(from.getUntilMicros()),
                     .cause = static_cast<DeathCause>(from.getCause()),
                     .category = string(from.getCategory()),
                     .reason = string(from.getReason())};
}

}  // namespace

void write(const MessageId& id, wire::MessageHistoryRequest::Builder to) { convert::write(id, to.initId()); }

MessageId read(wire::MessageHistoryRequest::Reader from) { return convert::read(from.getId()); }

void write(const Result<MessageHistory>& from, wire::MessageHistoryReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto steps = ok.initSteps(static_cast<unsigned>(from->steps.size()));
  for (unsigned i = 0; i < steps.size(); ++i) write(from->steps[i], steps[i]);
  ok.setTruncated(from->truncated);
}

Result<MessageHistory> read(wire::MessageHistoryReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  MessageHistory history{.steps = {}, .truncated = from.getOk().getTruncated()};
  for (auto each : at_most(limits::kHistorySteps, from.getOk().getSteps())) {
    auto step = read(each);
    if (!step) return tl::unexpected(step.error());
    history.steps.push_back(std::move(*step));
  }
  return history;
}

}  // namespace holdfast::convert
