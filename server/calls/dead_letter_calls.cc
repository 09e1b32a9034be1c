// Answers calls that look at dead letters. A search that names no queues covers those that its caller may
// operate. If they are more than one search may have, the answer says where to go on.
#include <algorithm>
#include <array>

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/dead_letter_statistics_conversion.h"
#include "schema/convert/dead_letters/find_dead_letters_conversion.h"
#include "server/access/guard.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"

namespace holdfast::server {
namespace {

// Returns the queues from `from` on that the caller may operate. A search that names no queues covers these.
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

kj::Promise<void> find_dead_letters(Call<wire::FindDeadLettersRequest, wire::FindDeadLettersReply> call) {
  using R = Result<FoundDeadLetters>;
  auto options = read_request(call);
  if (!options) return answer_now<R>(call, tl::unexpected(options.error()));
  return answer_blocking<R>(call, [&engine = call->engine(), rights = call->caller().rights(),
                                   options = std::move(*options)]() mutable {
    return find(engine, rights.get(), std::move(options));
  });
}

kj::Promise<void> list_dead_letters(Call<wire::ListDeadLettersRequest, wire::ListDeadLettersReply> call) {
  using R = Result<DeadLetterPage>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  return answer_blocking<R>(
      call, [&engine = call->engine(), queue = std::string(asked->queue),
             options = std::move(asked->options)] { return engine.list_dead_letters(queue, options); });
}

kj::Promise<void> group_dead_letters(Call<wire::GroupDeadLettersRequest, wire::GroupDeadLettersReply> call) {
  using R = Result<DeadLetterGroups>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  return answer_blocking<R>(
      call, [&engine = call->engine(), queue = std::string(asked->queue),
             options = std::move(asked->options)] { return engine.group_dead_letters(queue, options); });
}

kj::Promise<void> dead_letter_statistics(
    Call<wire::DeadLetterStatisticsRequest, wire::DeadLetterStatisticsReply> call) {
  const auto asked = read_request(call);
  return answer_blocking<Result<DeadLetterStatistics>>(
      call, [&engine = call->engine(), queue = std::string(asked.queue), options = asked.options] {
        return engine.dead_letter_statistics(queue, options);
      });
}

}  // namespace

std::span<const Method> dead_letter_methods() {
  static const std::array methods = {
      // A search covers only queues that the caller may operate.
      method<find_dead_letters>("findDeadLetters", {Need::kAny, {}, Content::kRedacted},
                                {.shows_what_is_stored = true}),
      method<list_dead_letters>("listDeadLetters", {Need::kQueues, Right::kOperate, Content::kRedacted},
                                {.shows_what_is_stored = true}),
      method<group_dead_letters>("groupDeadLetters", {Need::kQueues, Right::kOperate, Content::kRedacted},
                                 {.shows_what_is_stored = true}),
      method<dead_letter_statistics>("deadLetterStatistics", {Need::kQueues, Right::kOperate, Content::kNone},
                                     {.shows_what_is_stored = true}),
  };
  return methods;
}

}  // namespace holdfast::server
