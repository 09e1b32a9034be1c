#include "tests/client/cuts/caller.h"

#include <array>
#include <utility>

namespace holdfast::testing {

void Caller::call() {
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

std::span<const Caller::VerbStep> Caller::steps() {
  static constexpr auto kSteps = std::to_array<VerbStep>({
      {"send", [](Caller& at) { at.sends_.send(); }},
      {"send_batch", [](Caller& at) { at.sends_.send_batch(); }},
      {"buffered send", [](Caller& at) { at.sends_.send_buffered(); }},
      {"send in a crowd", [](Caller& at) { at.sends_.send_crowd(); }},
      {"send in a crowd", [](Caller& at) { at.sends_.send_crowd(); }},
      {"send in a crowd", [](Caller& at) { at.sends_.send_crowd(); }},
      {"receive", [](Caller& at) { at.deliveries_.receive(); }},
      {"ack", [](Caller& at) { at.deliveries_.ack(); }},
      {"release", [](Caller& at) { at.deliveries_.release(); }},
      {"reject", [](Caller& at) { at.deliveries_.reject(); }},
      {"extend", [](Caller& at) { at.deliveries_.extend(); }},
      {"start", [](Caller& at) { at.deliveries_.start(); }},
      {"ack of a stream", [](Caller& at) { at.streams_.ack_pushed(); }},
      {"redrive", [](Caller& at) { at.dead_letters_.redrive(); }},
      {"park", [](Caller& at) { at.dead_letters_.park(); }},
      {"started redrive", [](Caller& at) { at.dead_letters_.start_redrive(); }},
      {"cancel_redrive", [](Caller& at) { at.dead_letters_.cancel_redrive(); }},
      {"change_dead_letters", [](Caller& at) { at.dead_letters_.change(); }},
      {"discard_dead_letters", [](Caller& at) { at.dead_letters_.discard(); }},
      {"import_dead_letters", [](Caller& at) { at.dead_letters_.import_dead_letter(); }},
      {"the calls on a queue", [](Caller& at) { at.queues_.change_queue(); }},
      {"backup", [](Caller& at) { at.operations_.backup(); }},
      {"send to others", [](Caller& at) { at.among_others_.send_to_others(); }},
      {"send among purges", [](Caller& at) { at.among_others_.send_while_purged(); }},
      {"send among deletions", [](Caller& at) { at.among_others_.send_while_made_anew(); }},
      {"ack among purges", [](Caller& at) { at.among_others_.ack_while_purged(); }},
      {"ack among deletions", [](Caller& at) { at.among_others_.ack_while_made_anew(); }},
      {"release to others", [](Caller& at) { at.among_others_.release_to_others(); }},
      {"reject among redrives", [](Caller& at) { at.among_others_.reject_while_redriven(); }},
      {"reject among alterations", [](Caller& at) { at.among_others_.reject_while_altered(); }},
      {"redrive among discards", [](Caller& at) { at.among_others_.redrive_while_discarded(); }},
  });
  return kSteps;
}

}  // namespace holdfast::testing
