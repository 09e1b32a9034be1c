// Looks at dead letters: those of one queue, and those of several.
#include <map>
#include <memory>

#include "engine/base/validation/validate.h"
#include "engine/context/deletion.h"
#include "engine/dead_letters/dead_letter_pager.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/engine/engine_impl.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

template <class Options>
Result<void> validate_look(const Options& options) {
  if (auto ok = validate_page(options.max); !ok) return ok;
  if (auto ok = validate(options.filter); !ok) return ok;
  return validate(options.redact);
}

// Returns the queues to search, sorted by name. kQueueNotFound.
Result<std::vector<std::shared_ptr<Queue>>> searched_queues(const Catalog& catalog,
                                                            const std::vector<std::string>& names) {
  if (names.empty()) return catalog.all();
  std::map<std::string, std::shared_ptr<Queue>> queues;
  for (const std::string& name : names) {
    const auto queue = catalog.find(name);
    if (!queue) return tl::unexpected(queue.error());
    queues.emplace(name, *queue);
  }
  std::vector<std::shared_ptr<Queue>> result;
  result.reserve(queues.size());
  for (auto& [name, queue] : queues) result.push_back(std::move(queue));
  return result;
}

}  // namespace

Result<DeadLetterPage> EngineDeadLetterVerbs::list_dead_letters(std::string_view queue_name,
                                                                ListDeadLettersOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_look(options); !ok) return tl::unexpected(ok.error());
  const auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());

  DeadLetterPage page{.items = {}, .next = {}, .time = impl_->now()};
  DeadLetterPager pager(*impl_, options.max, options.bodies, options.redact,
                        [&](DeadLetter letter) { page.items.push_back(std::move(letter)); });
  const auto end = unless_deleted(
      impl_->pipeline, **queue, pager.add((*queue)->id, options.filter, options.after, options.newest_first));
  if (!end) return tl::unexpected(end.error());
  page.next = end->after;
  return page;
}

Result<FoundDeadLetters> EngineDeadLetterVerbs::find_dead_letters(FindDeadLettersOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_look(options); !ok) return tl::unexpected(ok.error());
  if (auto ok = at_most(options.queues.size(), limits::kFindQueues, "queues", "entries"); !ok)
    return tl::unexpected(ok.error());
  const auto queues = searched_queues(impl_->catalog, options.queues);
  if (!queues) return tl::unexpected(queues.error());

  FoundDeadLetters found{.items = {}, .next = {}, .scanned = {}, .time = impl_->now()};
  const std::string* name = nullptr;
  DeadLetterPager pager(*impl_, options.max, options.bodies, options.redact, [&](DeadLetter letter) {
    found.items.push_back({*name, std::move(letter)});
  });
  for (const auto& queue : *queues) {
    if (options.after && queue->name < options.after->queue) continue;
    if (pager.full()) {
      found.next = FindCursor{.queue = queue->name, .letter = {}};
      break;
    }
    name = &queue->name;
    const bool goes_on = options.after && options.after->queue == queue->name;
    const auto end =
        pager.add(queue->id, options.filter, goes_on ? options.after->letter : std::nullopt, false);
    if (!end) return tl::unexpected(end.error());
    // A search of all queues does not miss one that is deleted meanwhile.
    if (!options.queues.empty()) {
      if (auto there = check_not_deleted(impl_->pipeline, *queue); !there)
        return tl::unexpected(there.error());
    }
    if (end->scanned) found.scanned.push_back(queue->name);
    if (end->whole) continue;
    found.next = FindCursor{.queue = queue->name, .letter = end->after};
    break;
  }
  return found;
}

}  // namespace holdfast
