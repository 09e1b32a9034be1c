#include "tests/client/cuts/caller_context.h"

namespace holdfast::testing {

CallerContext::CallerContext(Site& site, Ledger& ledger, Client& client, std::size_t number,
                             std::uint64_t seed)
    : doing(number),
      site(site),
      ledger(ledger),
      client(client),
      owner(site.owner()),
      others(site.owner()),
      queue("c" + std::to_string(number)),
      random(seed * 1000 + number) {
  const Peace::Kept peace(site.peace());
  const auto buffered = Durability::kBuffered;
  must(owner.create_queue(queue + "-parked", {.durability = buffered}));
  must(owner.create_queue(dead,
                          {.durability = buffered, .dead_letters = {.parking_queue = queue + "-parked"}},
                          MissingQueues::kCreate));
  must(owner.create_queue(
      queue, {.durability = buffered, .retry = {.max_deliveries = 1000}, .dead_letters = {.queue = dead}},
      MissingQueues::kCreate));
  must(owner.create_queue(pushed, {.durability = buffered, .retry = {.max_deliveries = 1000}}));
  must(owner.create_queue(received, {.durability = buffered, .retry = {.max_deliveries = 1000}}));
  must(owner.create_queue(shared, {.durability = buffered}));
}

Client& CallerContext::connected_owner() {
  must(owner.describe_queue(queue));
  return owner;
}

MessageId CallerContext::send_as_owner(const std::string& to, const std::string& body) {
  for (;;) {
    const auto sent = connected_owner().send(to, {.body = body});
    if (sent || sent.error().code != ErrorCode::kOverloaded) return must(sent).id;
  }
}

MessageId CallerContext::send_alone(const std::string& to, const std::string& name, std::uint64_t* kills) {
  const Peace::Kept peace(site.peace());
  if (kills != nullptr) *kills = site.kills();
  must(connected_owner().purge_queue(to));
  send_as_owner(to, body_of(name));
  return must(owner.peek(to)).items.at(0).id;
}

std::optional<PeekedMessage> CallerContext::find(const std::string& in, const MessageId& id) {
  const auto page = must(connected_owner().peek(in, {.id = id}));
  if (page.items.empty()) return std::nullopt;
  return page.items.front();
}

std::optional<MessageState> CallerContext::state_of(const std::string& in, const MessageId& id) {
  const auto message = find(in, id);
  return message ? std::optional(message->state) : std::nullopt;
}

std::uint64_t CallerContext::dead_letters(const MessageId& id) {
  return must(connected_owner().list_dead_letters(dead, {.filter = {.ids = {id}}})).items.size();
}

}  // namespace holdfast::testing
