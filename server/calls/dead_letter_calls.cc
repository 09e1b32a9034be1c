#include <algorithm>
#include <iterator>

#include "convert/dead_letter.h"
#include "holdfast/limits.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kLargestMessage = limits::kBodyBytes + limits::kAttributesTotalBytes;

std::size_t content_bytes(const DeadLetterPage& page) {
  std::size_t bytes = 0;
  for (const auto& letter : page.items) {
    bytes += letter.body.size();
    for (const auto& [name, value] : letter.attributes) bytes += name.size() + value.size();
  }
  return bytes;
}

// As list_dead_letters, but ends the page before kBatchBytes of bodies and attributes: a reply's most.
Result<DeadLetterPage> list_bounded(Engine& engine, const std::string& queue,
                                    ListDeadLettersOptions options) {
  if (!options.bodies) return engine.list_dead_letters(queue, options);
  const auto wanted = options.max;
  DeadLetterPage page;
  std::size_t room = limits::kBatchBytes;
  do {
    if (wanted > 0) options.max = std::min(wanted - page.items.size(), room / kLargestMessage);
    auto part = engine.list_dead_letters(queue, options);
    if (!part) return part;
    room -= std::min(room, content_bytes(*part));
    std::ranges::move(part->items, std::back_inserter(page.items));
    options.after = part->next;
    page.next = part->next;
  } while (page.next && page.items.size() < wanted && room >= kLargestMessage);
  return page;
}

}  // namespace

kj::Promise<void> BrokerService::listDeadLetters(ListDeadLettersContext context) {
  using R = Result<DeadLetterPage>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(context, tl::unexpected(call.error()));
  return answer_blocking<R>(
      *peer_, context,
      [&engine = state_.engine, queue = std::string(call->queue), options = std::move(call->options)] {
        return list_bounded(engine, queue, options);
      });
}

kj::Promise<void> BrokerService::groupDeadLetters(GroupDeadLettersContext context) {
  using R = Result<DeadLetterGroups>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(context, tl::unexpected(call.error()));
  return answer_blocking<R>(
      *peer_, context,
      [&engine = state_.engine, queue = std::string(call->queue), options = std::move(call->options)] {
        return engine.group_dead_letters(queue, options);
      });
}

}  // namespace holdfast::server
