#include "schema/convert/dead_letters/dead_letter.h"
#include "schema/convert/dead_letters/dead_letter_statistics.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
kj::Promise<void> BrokerService::listDeadLetters(ListDeadLettersContext context) {
  using R = Result<DeadLetterPage>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  call->options.redact = redaction(std::move(call->options.redact));
  return answer_blocking<R>(
      *peer_, context,
      [&engine = state_.engine, queue = std::string(call->queue), options = std::move(call->options)] {
        return engine.list_dead_letters(queue, options);
      });
}

kj::Promise<void> BrokerService::groupDeadLetters(GroupDeadLettersContext context) {
  using R = Result<DeadLetterGroups>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  call->options.redact = redaction(std::move(call->options.redact));
  return answer_blocking<R>(
      *peer_, context,
      [&engine = state_.engine, queue = std::string(call->queue), options = std::move(call->options)] {
        return engine.group_dead_letters(queue, options);
      });
}

kj::Promise<void> BrokerService::deadLetterStatistics(DeadLetterStatisticsContext context) {
  const auto call = convert::read(context.getParams());
  return answer_blocking<Result<DeadLetterStatistics>>(
      *peer_, context, [&engine = state_.engine, queue = std::string(call.queue), options = call.options] {
        return engine.dead_letter_statistics(queue, options);
      });
}

}  // namespace holdfast::server
