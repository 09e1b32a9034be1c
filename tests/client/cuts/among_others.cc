// Calls that others get in the way of, also between a try and its repetition.
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

void Caller::send_to_others() {
  const std::string name = next_sent("send to others");
  sent(name, among_others([this](Client& others) { count_sent(others); },
                          [&] { return client_.send(queue_, {.body = body_of(name)}); }));
}

std::uint64_t Caller::make_anew(Client& others) {
  must(others.pause_queue(shared_, Pause{.sends = true}));
  const std::uint64_t purged = purge(others);
  must(others.delete_queue(shared_));
  must(others.create_queue(shared_, {.durability = Durability::kBuffered}));
  return purged;
}

void Caller::send_while(const std::string& verb, Emptying emptying) {
  const std::string name = next_name();
  empty_shared();
  std::uint64_t times = 0;
  const auto result = among_others([&](Client& others) { times += (this->*emptying)(others); },
                                   [&] { return client_.send(shared_, {.body = body_of(name)}); });
  times += empty_shared();
  ledger_.note(verb, name, result, times);
}

void Caller::ack_while(const std::string& verb, Emptying emptying) {
  const Delivery delivery = lease_shared(next_name());
  std::uint64_t purged = 0;
  const auto result = among_others([&](Client& others) { purged += (this->*emptying)(others); },
                                   [&] { return client_.ack(delivery.receipt); });
  purged += empty_shared();
  ledger_.note(verb, std::string(delivery.body), result, purged == 0 ? 1 : 0);
}

std::uint64_t Caller::empty_shared() {
  const Peace::Kept peace(site_.peace());
  return purge(owner());
}

Delivery Caller::lease_shared(const std::string& name) {
  const Peace::Kept peace(site_.peace());
  purge(owner());
  send_as_owner(shared_, body_of(name));
  return std::move(must(owner_.receive(shared_, {.lease = kLease})).at(0));
}

void Caller::release_to_others() {
  const Delivery delivery = lease_shared(next_name());
  std::uint64_t taken = 0;
  const auto take = [&](Client& others) {
    for (const Delivery& again : must(others.receive(shared_, {.lease = kLease}))) {
      ++taken;
      must(others.ack(again.receipt));
    }
  };
  const auto result = among_others(
      take, [&] { return client_.release(delivery.receipt, {.delay = Duration(0), .count = false}); });
  const Peace::Kept peace(site_.peace());
  take(owner());
  ledger_.note("release to others", std::string(delivery.body), result, taken);
  if (taken == 0) settle_for_good(delivery, said_by(result));
}

void Caller::reject_while_redriven() {
  const Delivery delivery = lease(next_name());
  std::uint64_t times = 0;
  const auto redrive = [&](Client& others) {
    const auto redriven = others.redrive(dead_, {.filter = {.ids = {delivery.id}}});
    if (redriven) times += redriven->moved;
  };
  const auto result =
      among_others(redrive, [&] { return client_.reject(delivery.receipt, {.reason = "bad"}); });
  const Peace::Kept peace(site_.peace());
  times += dead_letters(delivery.id);
  ledger_.note("reject among redrives", std::string(delivery.body), result, times);
  if (times == 0) settle_for_good(delivery, said_by(result));
}

void Caller::reject_while_altered() {
  const Delivery delivery = lease(next_name());
  const auto alter = [&](Client& others) {
    must(others.alter_queue(queue_, {.dead_letters = {.queue = ""}}));
    must(others.alter_queue(queue_, {.dead_letters = {.queue = dead_}}, MissingQueues::kCreate));
  };
  const auto result =
      among_others(alter, [&] { return client_.reject(delivery.receipt, {.reason = "bad"}); });
  const Peace::Kept peace(site_.peace());
  const std::uint64_t times = dead_letters(delivery.id);
  ledger_.note("reject among alterations", std::string(delivery.body), result, times);
  if (times == 0) settle_for_good(delivery, said_by(result));
}

void Caller::redrive_while_discarded() {
  const RedriveOptions options = dead_one();
  const MessageId& id = options.filter.ids.front();
  std::uint64_t discarded = 0;
  const auto discard = [&](Client& others) {
    discarded += must(others.discard_dead_letters(dead_, {.filter = {.ids = {id}}})).changed;
  };
  auto result = among_others(discard, [&] { return client_.redrive(dead_, options); });
  if (result && result->moved == 0) result = fail(ErrorCode::kMessageNotFound, "nothing was moved");
  const Peace::Kept peace(site_.peace());
  const std::uint64_t moved = find(queue_, id) ? 1 : 0;
  ledger_.note("redrive among discards", options.actor, result, moved);
  EXPECT_EQ(moved + discarded + dead_letters(id), 1U) << options.actor;
}

}  // namespace holdfast::testing
