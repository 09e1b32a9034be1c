#include "engine/messages/settler.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "engine/messages/settle.h"

namespace holdfast {

Settled Settler::settle(std::span<const Receipt> receipts, std::optional<Durability> durability,
                        HeldRequest request, const Settle& settle_one, const Check& check) {
  Settled settled;
  settled.results.resize(receipts.size());
  for_each_queue(engine_.catalog, request, receipts, settled.results,
                 [&](const auto& queue, auto run, auto results, std::uint32_t part) {
                   if (answer_again(request, part, results) > 0) return;
                   const LockedQueue locked(engine_.pipeline.gate(), *queue);
                   if (queue->deleted()) settled.await(queue->deletion());
                   const Durability asked = durability.value_or(queue->options().durability);
                   const Timestamp time = engine_.now();
                   bool any = false;
                   for (std::size_t i = 0; i < run.size(); ++i) {
                     results[i] =
                         refuse(queue->state.of(run[i].seq).window().check(run[i].seq, run[i].lease));
                     if (check && results[i]) results[i] = check(*queue, run[i].seq);
                     if (!results[i]) continue;
                     settle_one(*queue, run[i].seq, time);
                     any = true;
                   }
                   if (!any && any_gone(results))
                     settled.await(group_of_loss(engine_.pipeline, *queue, asked));
                   if (!any) return;
                   settled.joined(engine_.pipeline.join(queue, asked), asked);
                   record_answer(request, part, results, asked);
                   dispatcher_.after_change(queue, time);
                 });
  settled.request = std::move(request);
  return settled;
}

Settled Settler::settle_in_steps(std::span<const Receipt> receipts,
                                 const std::shared_ptr<const std::string>& said, const Settle& settle_one,
                                 const Check& check) {
  constexpr std::size_t kStepBytes = 4 << 20;
  const std::size_t at_once = said ? std::max<std::size_t>(1, kStepBytes / said->size()) : receipts.size();
  Settled all;
  while (!receipts.empty()) {
    const auto some = receipts.first(std::min(at_once, receipts.size()));
    receipts = receipts.subspan(some.size());
    Settled step = settle(some, Durability::kBuffered, {}, settle_one, check);
    std::ranges::move(step.results, std::back_inserter(all.results));
    if (step.group) all.group = std::max(all.group, step.group);
    if (receipts.empty() || !step.group) continue;
    if (auto ok = engine_.pipeline.wait(*step.group); !ok) {
      all.results.resize(all.results.size() + receipts.size(), tl::unexpected(ok.error()));
      break;
    }
  }
  return all;
}

}  // namespace holdfast
