#include "tests/client/cuts/cut_caller.h"

#include <array>
#include <utility>

namespace holdfast::testing {

void CutCaller::call() {
  if (++calls_ >= next_drain_) {
    context_.doing.is("drain");
    next_drain_ = calls_ + (operations_.drain() ? kCallsPerDrain : kCallsPerDrain / 10);
    return;
  }
  if (deck_.empty()) {
    deck_.assign(steps().begin(), steps().end());
    for (std::size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[context_.random.below(i)]);
  }
  const VerbStep step = deck_.back();
  deck_.pop_back();
  context_.doing.is(step.name);
  step.take(*this);
}

std::span<const CutCaller::VerbStep> CutCaller::steps() {
  static constexpr auto kSteps = std::to_array<VerbStep>({
      {"send", [](CutCaller& at) { at.sends_.send(); }},
      {"send_batch", [](CutCaller& at) { at.sends_.send_batch(); }},
      {"buffered send", [](CutCaller& at) { at.sends_.send_buffered(); }},
      {"send in a crowd", [](CutCaller& at) { at.sends_.send_crowd(); }},
      {"send in a crowd", [](CutCaller& at) { at.sends_.send_crowd(); }},
      {"send in a crowd", [](CutCaller& at) { at.sends_.send_crowd(); }},
      {"receive", [](CutCaller& at) { at.deliveries_.receive(); }},
      {"ack", [](CutCaller& at) { at.deliveries_.ack(); }},
      {"release", [](CutCaller& at) { at.deliveries_.release(); }},
      {"reject", [](CutCaller& at) { at.deliveries_.reject(); }},
      {"extend", [](CutCaller& at) { at.deliveries_.extend(); }},
      {"start", [](CutCaller& at) { at.deliveries_.start(); }},
      {"ack of a stream", [](CutCaller& at) { at.streams_.ack_pushed(); }},
      {"redrive", [](CutCaller& at) { at.dead_letters_.redrive(); }},
      {"park", [](CutCaller& at) { at.dead_letters_.park(); }},
      {"started redrive", [](CutCaller& at) { at.dead_letters_.start_redrive(); }},
      {"cancel_redrive", [](CutCaller& at) { at.dead_letters_.cancel_redrive(); }},
      {"change_dead_letters", [](CutCaller& at) { at.dead_letters_.change(); }},
      {"discard_dead_letters", [](CutCaller& at) { at.dead_letters_.discard(); }},
      {"import_dead_letters", [](CutCaller& at) { at.dead_letters_.import_dead_letter(); }},
      {"the calls on a queue", [](CutCaller& at) { at.queues_.change_queue(); }},
      {"backup", [](CutCaller& at) { at.operations_.backup(); }},
      {"send to others", [](CutCaller& at) { at.among_others_.send_to_others(); }},
      {"send among purges", [](CutCaller& at) { at.among_others_.send_while_purged(); }},
      {"send among deletions", [](CutCaller& at) { at.among_others_.send_while_made_anew(); }},
      {"ack among purges", [](CutCaller& at) { at.among_others_.ack_while_purged(); }},
      {"ack among deletions", [](CutCaller& at) { at.among_others_.ack_while_made_anew(); }},
      {"release to others", [](CutCaller& at) { at.among_others_.release_to_others(); }},
      {"reject among redrives", [](CutCaller& at) { at.among_others_.reject_while_redriven(); }},
      {"reject among alterations", [](CutCaller& at) { at.among_others_.reject_while_altered(); }},
      {"redrive among discards", [](CutCaller& at) { at.among_others_.redrive_while_discarded(); }},
  });
  return kSteps;
}

}  // namespace holdfast::testing
