#include "tests/client/cuts/calls_among_others.h"

namespace holdfast::testing {

void CallsAmongOthers::send_to_others() {
  const std::string name = sends_.next_sent("send to others");
  sends_.sent(
      name,
      among_others([this](Client& others) { sends_.count_sent(others); },
                   [&] { return context_.client.send(context_.queue, {.body = context_.body_of(name)}); }));
}

std::uint64_t CallsAmongOthers::make_anew(Client& others) {
  must(others.pause_queue(context_.shared, Pause{.sends = true}));
  const std::uint64_t purged = purge(others);
  must(others.delete_queue(context_.shared));
  must(others.create_queue(context_.shared, {.durability = Durability::kBuffered}));
  return purged;
}

void CallsAmongOthers::send_while(const std::string& verb, Emptying emptying) {
  const std::string name = context_.next_name();
  empty_shared();
  std::uint64_t times = 0;
  const auto result =
      among_others([&](Client& others) { times += (this->*emptying)(others); },
                   [&] { return context_.client.send(context_.shared, {.body = context_.body_of(name)}); });
  times += empty_shared();
  context_.ledger.note(verb, name, result, times);
}

void CallsAmongOthers::ack_while(const std::string& verb, Emptying emptying) {
  const Delivery delivery = lease_shared(context_.next_name());
  std::uint64_t purged = 0;
  const auto result = among_others([&](Client& others) { purged += (this->*emptying)(others); },
                                   [&] { return context_.client.ack(delivery.receipt); });
  purged += empty_shared();
  context_.ledger.note(verb, std::string(delivery.body), result, purged == 0 ? 1 : 0);
}

std::uint64_t CallsAmongOthers::empty_shared() {
  const Peace::Kept peace(context_.site.peace());
  return purge(context_.connected_owner());
}

Delivery CallsAmongOthers::lease_shared(const std::string& name) {
  const Peace::Kept peace(context_.site.peace());
  purge(context_.connected_owner());
  context_.send_as_owner(context_.shared, context_.body_of(name));
  return std::move(must(context_.owner.receive(context_.shared, {.lease = kLease})).at(0));
}

void CallsAmongOthers::release_to_others() {
  const Delivery delivery = lease_shared(context_.next_name());
  std::uint64_t taken = 0;
  const auto take = [&](Client& others) {
    for (const Delivery& again : must(others.receive(context_.shared, {.lease = kLease}))) {
      ++taken;
      must(others.ack(again.receipt));
    }
  };
  const auto result = among_others(take, [&] {
    return context_.client.release(delivery.receipt, {.delay = Duration(0), .charge = false});
  });
  const Peace::Kept peace(context_.site.peace());
  take(context_.connected_owner());
  context_.ledger.note("release to others", std::string(delivery.body), result, taken);
  if (taken == 0) deliveries_.settle_for_good(delivery, said_by(result));
}

void CallsAmongOthers::reject_while_redriven() {
  const Delivery delivery = deliveries_.lease(context_.next_name());
  std::uint64_t times = 0;
  const auto redrive = [&](Client& others) {
    const auto redriven = others.redrive(context_.dead, {.filter = {.ids = {delivery.id}}});
    if (redriven) times += redriven->moved;
  };
  const auto result =
      among_others(redrive, [&] { return context_.client.reject(delivery.receipt, {.reason = "bad"}); });
  const Peace::Kept peace(context_.site.peace());
  times += context_.dead_letters(delivery.id);
  context_.ledger.note("reject among redrives", std::string(delivery.body), result, times);
  if (times == 0) deliveries_.settle_for_good(delivery, said_by(result));
}

void CallsAmongOthers::reject_while_altered() {
  const Delivery delivery = deliveries_.lease(context_.next_name());
  const auto alter = [&](Client& others) {
    must(others.alter_queue(context_.queue, {.dead_letters = {.queue = ""}}));
    must(others.alter_queue(context_.queue, {.dead_letters = {.queue = context_.dead}},
                            MissingQueues::kCreate));
  };
  const auto result =
      among_others(alter, [&] { return context_.client.reject(delivery.receipt, {.reason = "bad"}); });
  const Peace::Kept peace(context_.site.peace());
  const std::uint64_t times = context_.dead_letters(delivery.id);
  context_.ledger.note("reject among alterations", std::string(delivery.body), result, times);
  if (times == 0) deliveries_.settle_for_good(delivery, said_by(result));
}

void CallsAmongOthers::redrive_while_discarded() {
  const RedriveOptions options = dead_letters_.dead_one();
  const MessageId& id = options.filter.ids.front();
  std::uint64_t discarded = 0;
  const auto discard = [&](Client& others) {
    discarded += must(others.discard_dead_letters(context_.dead, {.filter = {.ids = {id}}})).changed;
  };
  auto result = among_others(discard, [&] { return context_.client.redrive(context_.dead, options); });
  if (result && result->moved == 0) result = fail(ErrorCode::kMessageNotFound, "nothing was moved");
  const Peace::Kept peace(context_.site.peace());
  const std::uint64_t moved = context_.find(context_.queue, id) ? 1 : 0;
  context_.ledger.note("redrive among discards", options.actor, result, moved);
  EXPECT_EQ(moved + discarded + context_.dead_letters(id), 1U) << options.actor;
}

}  // namespace holdfast::testing
