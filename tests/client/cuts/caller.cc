#include "tests/client/cuts/caller.h"

#include <array>
#include <stdexcept>

namespace holdfast::testing {

Caller::Caller(Site& site, Ledger& ledger, Client& client, std::size_t number, std::uint64_t seed)
    : doing_(number),
      site_(site),
      ledger_(ledger),
      client_(client),
      owner_(site.owner()),
      others_(site.owner()),
      queue_("c" + std::to_string(number)),
      random_(seed * 1000 + number) {
  const Peace::Kept peace(site_.peace());
  const auto buffered = Durability::kBuffered;
  must(owner_.create_queue(queue_ + "-parked", {.durability = buffered}));
  must(owner_.create_queue(dead_,
                           {.durability = buffered, .dead_letters = {.parking_queue = queue_ + "-parked"}},
                           MissingQueues::kCreate));
  must(owner_.create_queue(
      queue_, {.durability = buffered, .retry = {.max_deliveries = 1000}, .dead_letters = {.queue = dead_}},
      MissingQueues::kCreate));
  must(owner_.create_queue(pushed_, {.durability = buffered, .retry = {.max_deliveries = 1000}}));
  must(owner_.create_queue(received_, {.durability = buffered, .retry = {.max_deliveries = 1000}}));
  must(owner_.create_queue(shared_, {.durability = buffered}));
}

void Caller::call() {
  if (++calls_ >= next_drain_) {
    doing_.is("drain");
    return drain();
  }
  if (deck_.empty()) {
    deck_.assign(steps().begin(), steps().end());
    for (std::size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[random_.below(i)]);
  }
  const VerbStep step = deck_.back();
  deck_.pop_back();
  doing_.is(step.name);
  (this->*step.take)();
}

void Caller::look_at_what_is_left() {
  const Peace::Kept peace(site_.peace());
  count_sent();
  for (const auto& [body, sent] : sent_) ledger_.note_again(sent.verb, body, sent.result, sent.times);
}

Client& Caller::owner() {
  must(owner_.describe_queue(queue_));
  return owner_;
}

MessageId Caller::send_as_owner(const std::string& queue, const std::string& body) {
  for (;;) {
    const auto sent = owner().send(queue, {.body = body});
    if (sent || sent.error().code != ErrorCode::kOverloaded) return must(sent).id;
  }
}

std::optional<PeekedMessage> Caller::find(const std::string& queue, const MessageId& id) {
  const auto page = must(owner().peek(queue, {.id = id}));
  if (page.items.empty()) return std::nullopt;
  return page.items.front();
}

std::optional<MessageState> Caller::state_of(const std::string& queue, const MessageId& id) {
  const auto message = find(queue, id);
  return message ? std::optional(message->state) : std::nullopt;
}

std::uint64_t Caller::dead_letters(const MessageId& id) {
  return must(owner().list_dead_letters(dead_, {.filter = {.ids = {id}}})).items.size();
}

std::span<const Caller::VerbStep> Caller::steps() {
  static constexpr auto kSteps = std::to_array<VerbStep>({
      {"send", &Caller::send},
      {"send_batch", &Caller::send_batch},
      {"buffered send", &Caller::send_buffered},
      {"send in a crowd", &Caller::send_crowd},
      {"send in a crowd", &Caller::send_crowd},
      {"send in a crowd", &Caller::send_crowd},
      {"receive", &Caller::receive},
      {"ack", &Caller::ack},
      {"release", &Caller::release},
      {"reject", &Caller::reject},
      {"extend", &Caller::extend},
      {"start", &Caller::start},
      {"ack of a stream", &Caller::ack_pushed},
      {"redrive", &Caller::redrive},
      {"park", &Caller::park},
      {"started redrive", &Caller::start_redrive},
      {"cancel_redrive", &Caller::cancel_redrive},
      {"change_dead_letters", &Caller::change},
      {"discard_dead_letters", &Caller::discard},
      {"import_dead_letters", &Caller::import_dead_letter},
      {"the calls on a queue", &Caller::change_queue},
      {"backup", &Caller::backup},
      {"send to others", &Caller::send_to_others},
      {"send among purges", &Caller::send_while_purged},
      {"send among deletions", &Caller::send_while_made_anew},
      {"ack among purges", &Caller::ack_while_purged},
      {"ack among deletions", &Caller::ack_while_made_anew},
      {"release to others", &Caller::release_to_others},
      {"reject among redrives", &Caller::reject_while_redriven},
      {"reject among alterations", &Caller::reject_while_altered},
      {"redrive among discards", &Caller::redrive_while_discarded},
  });
  return kSteps;
}

}  // namespace holdfast::testing
