#include <algorithm>

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter.h"
#include "schema/convert/dead_letters/dead_letter_statistics.h"
#include "schema/convert/dead_letters/find_dead_letters.h"
#include "server/access/guard.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

// Those that the caller may operate, for a search that names none; from one name on.
Result<std::vector<std::string>> operated_queues(Engine& engine, const Rights& rights,
                                                 const std::string& from) {
  const auto queues = engine.list_queues();
  if (!queues) return tl::unexpected(queues.error());
  std::vector<std::string> names;
  for (const QueueInfo& queue : *queues) {
    if (queue.name >= from && rights.allow(Right::kOperate, queue.name)) names.push_back(queue.name);
  }
  return names;
}

Result<FoundDeadLetters> find(Engine& engine, const Rights* rights, FindDeadLettersOptions options) {
  if (rights == nullptr || (options.queues.empty() && rights->allow_everywhere(Right::kOperate)))
    return engine.find_dead_letters(std::move(options));
  if (auto ok = check_search(*rights, options.queues); !ok) return tl::unexpected(ok.error());
  if (!options.queues.empty()) return engine.find_dead_letters(std::move(options));
  auto names = operated_queues(engine, *rights, options.after ? options.after->queue : std::string());
  if (!names) return tl::unexpected(names.error());
  if (names->empty()) return FoundDeadLetters{.items = {}, .next = {}, .scanned = {}, .time = engine.now()};
  std::optional<FindCursor> rest;
  if (names->size() > limits::kFindQueues) {
    rest = FindCursor{.queue = (*names)[limits::kFindQueues], .letter = {}};
    names->resize(limits::kFindQueues);
  }
  options.queues = *std::move(names);
  auto found = engine.find_dead_letters(std::move(options));
  if (found && !found->next) found->next = std::move(rest);
  return found;
}

}  // namespace

kj::Promise<void> BrokerService::findDeadLetters(FindDeadLettersContext context) {
  using R = Result<FoundDeadLetters>;
  auto options = convert::read(context.getParams());
  if (!options) return answer_now<R>(*peer_, context, tl::unexpected(options.error()));
  options->redact = redaction(std::move(options->redact));
  return answer_blocking<R>(
      *peer_, context, [&engine = state_.engine, rights = rights_, options = std::move(*options)]() mutable {
        return find(engine, rights.get(), std::move(options));
      });
}

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
