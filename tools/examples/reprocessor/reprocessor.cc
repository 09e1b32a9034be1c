// The reprocessor of the example treats dead letters by the category of their failure, and a person decides
// about those that it parks. How each order ended is read off the records that this leaves.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "holdfast/dead_letter_worker.h"
#include "tools/examples/reprocessor/actors.h"

namespace holdfast::example {
namespace {

// Returns all dead letters of a queue. With `history`, those that were redriven or discarded are among them.
Result<std::vector<DeadLetter>> all_of(Broker& broker, const char* queue, bool history) {
  std::vector<DeadLetter> letters;
  ListDeadLettersOptions options{.filter = {.history = history}, .bodies = true};
  do {
    auto page = broker.list_dead_letters(queue, options);
    if (!page) return tl::unexpected(page.error());
    for (DeadLetter& letter : page->items) letters.push_back(std::move(letter));
    options.after = page->next;
  } while (options.after);
  return letters;
}

Result<void> done(const Result<Redriven>& redriven) {
  if (!redriven) return tl::unexpected(redriven.error());
  return {};
}

}  // namespace

Result<void> reprocess(Broker& broker) {
  Result<void> result;
  auto worker = DeadLetterWorker::make(
      broker, {.queue = kDeadLetters,
               .handlers = {{"timeout", [](const DeadLetter&) { return Remedy::redrive(); }},
                            {"validation",
                             [](const DeadLetter&) {
                               return Remedy::redrive(
                                   {.json_patch = R"([{"op":"replace","path":"/quantity","value":1}])"});
                             }}},
               .fallback = [](const DeadLetter&) { return Remedy::park(); },
               .actor = "reprocessor",
               .on_failure = [&](const DeadLetter*, const Error& error) { result = tl::unexpected(error); }});
  if (!worker) return tl::unexpected(worker.error());
  worker->run_once();  // a program that stays would call run()
  return result;
}

Result<void> show_a_timeout(Broker& broker) {
  auto page = broker.list_dead_letters(kDeadLetters, {.filter = {.category = "timeout"}, .max = 1});
  if (!page) return tl::unexpected(page.error());
  for (const DeadLetter& letter : page->items) {
    const FailureRecord& record = letter.record;
    fmt::print("an order that died of {}: {}\n", to_string(record.cause), record.reason);
    for (std::size_t i = 0; i < record.attempts.kept.size(); ++i) {
      const Attempt& attempt = record.attempts.kept[i];
      // The record itself has the reason of the last attempt.
      const std::string& reason = attempt.failure.empty() ? record.reason : attempt.failure.reason;
      fmt::print("  delivery {} {}: {}\n", i + 1, to_string(attempt.end), reason);
    }
    for (const auto& [code, message] : record.causes) fmt::print("  caused by {} {}\n", code, message);
    fmt::print("\n");
  }
  return {};
}

Result<void> look_at_parked(Broker& broker) {
  auto parked = all_of(broker, kParked, false);
  if (!parked) return tl::unexpected(parked.error());
  bool give_up = false;
  for (const DeadLetter& letter : *parked) {
    give_up = !give_up;
    if (give_up) {
      auto discarded =
          broker.discard_dead_letters(kParked, {.filter = {.seqs = {letter.seq}}, .actor = "ada"});
      if (!discarded) return tl::unexpected(discarded.error());
      continue;
    }
    auto redriven = done(broker.redrive(
        kParked,
        {.filter = {.seqs = {letter.seq}},
         .edit = {.set_attributes = {{.name = "fixed-by", .value = "ada"}}, .body = letter.body + "1}"},
         .actor = "ada"}));
    if (!redriven) return redriven;
  }
  return {};
}

Result<void> trace(Broker& broker, Orders& orders) {
  for (auto& [id, order] : orders) order.end = End::kFirstTime;
  for (const char* queue : {kDeadLetters, kParked}) {
    auto letters = all_of(broker, queue, true);
    if (!letters) return tl::unexpected(letters.error());
    for (const DeadLetter& letter : *letters) {
      End& end = orders[letter.record.message_id].end;
      const bool acked = letter.replay && letter.replay->outcome == ReplayOutcome::kAcked;
      if (letter.triage.status == DeadLetterStatus::kAbandoned) {
        end = End::kDiscarded;
      } else if (!acked) {
        end = End::kUnfinished;
      } else if (!letter.original) {
        end = End::kRedriven;
      } else {
        end = queue == kParked ? End::kByHand : End::kRepaired;
      }
    }
  }
  return {};
}

}  // namespace holdfast::example
