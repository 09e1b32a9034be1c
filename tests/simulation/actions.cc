// What happens in a simulation, one step at a time.
#include <algorithm>
#include <span>

#include "engine/services/requests.h"
#include "tests/simulation/simulation.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {
namespace {

constexpr std::size_t kRememberedReceipts = 200;

// What precedes the body of a message that the queue knows by its body.
constexpr const char* kNamedByBody = "body ";

std::size_t bytes_of(const Message& message) {
  std::size_t bytes = message.body.size();
  for (const Attribute& attribute : message.attributes)
    bytes += attribute.name.size() + attribute.value.size();
  return bytes;
}

}  // namespace

void Simulation::note_synced(const std::vector<Result<Sent>>& answers) {
  const auto sent = std::ranges::find_if(answers, &Result<Sent>::has_value);
  if (sent != answers.end() && (*sent)->durability == Durability::kFsync) ledger_.synced();
}

void Simulation::recover() {
  mark(Mark::kWriteFailed);
  die();
}

void Simulation::die() { random_.one_in(2) ? lose_process() : lose_power(); }

void Simulation::lose_process() {
  ++life_;
  note("the process dies");
  world_->kill();
  (void)end_wait();
  // The opening's own commits are fsynced, so everything that was there stays.
  ledger_.synced();
}

void Simulation::lose_power() {
  ++life_;
  note("the machine dies");
  const bool salvaged = world_->cut_power();
  (void)end_wait();  // the waiting receive was answered before
  ledger_.crashed();
  if (salvaged) ledger_.salvaged();
  ledger_.synced();
}

void Simulation::reopen() {
  ++life_;
  note("the engine is opened again");
  if (world_->reopen()) {
    ledger_.synced();
  } else {
    recover();
  }
}

void Simulation::recover_if(const Result<void>& answer) {
  if (!answer && answer.error().code == ErrorCode::kStorageFailed) recover();
}

void Simulation::recover_from(const char* verb, const Error& error) {
  if (error.code != ErrorCode::kStorageFailed) throw Violation(std::string(verb) + ": " + to_string(error));
  recover();
}

bool Simulation::must_happen(const char* verb, const std::function<Result<void>()>& call) {
  for (;;) {
    const Result<void> answer = call();
    note(verb, answer);
    if (answer) break;
    if (full_ && answer.error().code == ErrorCode::kDiskFull) return false;
    recover_from(verb, answer.error());
  }
  ledger_.synced();
  return true;
}

Message Simulation::any_message(const Subject& queue) {
  Message message;
  message.body = std::to_string(++bodies_);
  message.attributes = sent_with(message.body);
  message.group = "g" + std::to_string(random_.below(3));
  message.priority = static_cast<std::uint32_t>(random_.below(queue.options.priority.levels));
  if (random_.one_in(3)) message.deduplication_id = "d" + std::to_string(random_.below(20));
  const bool may_expire =
      !queue.options.dead_letters.queue.empty() || queue.options.expiry.policy == ExpiryPolicy::kDrop;
  if (may_expire && random_.one_in(15)) message.time_to_live = any_wait();
  return message;
}

void Simulation::send() {
  const Subject& queue = any_queue(false);
  if (queue.options.deduplication.mode == Deduplication::kByContent && random_.one_in(4))
    return send_known_body(queue);
  send_to(queue);
}

void Simulation::send_to(const Subject& queue) {
  // All messages share one delay, so that they share rows.
  const std::optional<Duration> delay = random_.one_in(4) ? std::optional(any_wait()) : std::nullopt;
  std::vector<Message> messages;
  std::vector<std::string> bodies;
  for (std::uint64_t n = random_.between(1, 5); n > 0; --n) {
    messages.push_back(any_message(queue));
    messages.back().delay = delay;
    const auto& ttl = messages.back().time_to_live;
    bodies.push_back(messages.back().body + (ttl ? ", expires after " + format_duration(*ttl) : ""));
  }
  SendOptions options{.request_id = any_request_id()};
  if (random_.one_in(2)) options.durability = Durability::kFsync;
  for (bool again = true, repeated = false; again; repeated = true) {
    const auto answer = call_send(queue.name, messages, options);
    const Result<void> outcome = answer ? Result<void>() : Result<void>(tl::unexpected(answer.error()));
    note("send", queue.name, bodies, outcome);
    const Timestamp visible_at = world_->now_at_least() + delay.value_or(Duration{0});
    for (std::size_t i = 0; i < messages.size(); ++i) {
      note_sent(queue, messages[i], visible_at,
                answer ? (*answer)[i] : Result<Sent>(tl::unexpected(answer.error())));
    }
    // A repetition is not checked: it may only be answered, and what its first try sent before a crash stays
    // until the next send.
    if (answer && !repeated) check_bounds(queue, messages, *answer);
    if (answer) note_synced(*answer);
    if (answer && !options.request_id.empty()) remember(queue, messages, options, *answer);
    recover_if(outcome);
    again = !answer && answer.error().code == ErrorCode::kStorageFailed && !options.request_id.empty();
  }
}

bool Simulation::may_leave(const QueueOptions& options, const Message& message) {
  return message.time_to_live || is_bounded(options);
}

bool Simulation::may_be_dropped(const QueueOptions& options, const Message& message) {
  return (message.time_to_live && options.expiry.policy == ExpiryPolicy::kDrop) ||
         (is_bounded(options) && options.limits.on_overflow == OverflowPolicy::kDropHead);
}

Account Simulation::new_account(const Subject& queue, const Message& message, Timestamp visible_at) const {
  Account account;
  account.queue = queue.name;
  account.visible_at = visible_at;
  account.group = message.group;
  account.priority = message.priority;
  account.prompt = !message.delay.has_value();
  account.fleeting = may_be_dropped(queue.options, message);
  if (message.time_to_live)
    account.expires_at = visible_at + (world_->now() - world_->now_at_least()) + *message.time_to_live;
  if (may_leave(queue.options, message)) {
    account.prompt = false;
    account.moved = account.restless = true;
  }
  return account;
}

void Simulation::note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                           const Result<Sent>& answer) {
  if (!answer) {
    mark(Mark::kDiskFull, answer.error().code == ErrorCode::kDiskFull);
    mark(Mark::kQueueFull, answer.error().code == ErrorCode::kQueueFull);
    if (answer.error().code == ErrorCode::kDiskFull && full_) return;
    if (answer.error().code == ErrorCode::kQueueFull && is_bounded(queue.options)) return;
    if (answer.error().code != ErrorCode::kStorageFailed)
      throw Violation("send: " + to_string(answer.error()));
  }
  const auto name = name_of(queue, message);
  if (name) note_named(queue, message, *name, answer);
  if (!answer) return ledger_.sent(message.body, new_account(queue, message, visible_at), false);
  if (answer->duplicate && !name) throw Violation("message " + message.body + " is no duplicate");
  if (!answer->duplicate) note_there(queue, message, visible_at, answer->id);
}

// Checks that accepted messages had room, and refused ones had none. Waiting messages may be on their way out
// of the log, and take no room then. To make room, the queue may have to read a message first. As long as the
// message cannot be read, the queue has one too many.
void Simulation::check_bounds(const Subject& queue, const std::vector<Message>& messages,
                              const std::vector<Result<Sent>>& answers) {
  const QueueOptions& options = queue.options;
  if (!is_bounded(options)) return;
  const auto info = world_->engine().describe_queue(queue.name);
  if (!info) return recover_from("describe", info.error());
  const QueueCounts& counts = info->counts;
  const bool too_long =
      options.limits.max_length > 0 && counts.ready + counts.leased > options.limits.max_length;
  const bool too_large =
      options.limits.max_bytes > 0 && counts.waiting == 0 && info->bytes > options.limits.max_bytes;
  const auto has_room = [&](const Message& message) {
    return (options.limits.max_length == 0 ||
            counts.ready + counts.waiting + counts.leased < options.limits.max_length) &&
           (options.limits.max_bytes == 0 || info->bytes + bytes_of(message) <= options.limits.max_bytes);
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const bool is_new = answers[i] && !answers[i]->duplicate;
    const bool refused = !answers[i] && answers[i].error().code == ErrorCode::kQueueFull;
    if (is_new && (too_long || too_large) && !world_->mend())
      throw Violation("message " + messages[i].body + " is one too many in " + queue.name);
    if (refused && has_room(messages[i]))
      throw Violation("message " + messages[i].body + " was refused, and there is room in " + queue.name);
  }
}

std::optional<std::string> Simulation::name_of(const Subject& queue, const Message& message) {
  if (queue.options.deduplication.mode == Deduplication::kNone) return std::nullopt;
  if (!message.deduplication_id.empty()) return message.deduplication_id;
  if (queue.options.deduplication.mode == Deduplication::kById) return std::nullopt;
  return kNamedByBody + message.body;
}

// Sends a body again that surely is a duplicate: the ledger names messages by their bodies, so another
// message with the body would confuse it.
void Simulation::send_known_body(const Subject& queue) {
  std::vector<std::string> bodies;
  for (const auto& [key, first] : known_ids_) {
    const bool known = key.first == queue.name && key.second.starts_with(kNamedByBody) &&
                       world_->now() < first.first + queue.options.deduplication.window;
    if (known) bodies.push_back(key.second.substr(std::string_view(kNamedByBody).size()));
  }
  if (bodies.empty()) return send_to(queue);
  const std::vector<Message> messages{{.body = random_.pick(bodies)}};
  const auto answers = call_send(queue.name, messages, {});
  const Result<Sent> answer = answers ? (*answers)[0] : Result<Sent>(tl::unexpected(answers.error()));
  note("send a known body", queue.name, messages[0].body, answer);
  if (!answer) {
    const bool refused = (full_ && answer.error().code == ErrorCode::kDiskFull) ||
                         (is_bounded(queue.options) && answer.error().code == ErrorCode::kQueueFull);
    return refused ? void() : recover_from("send a known body", answer.error());
  }
  note_synced(*answers);
  note_named(queue, messages[0], kNamedByBody + messages[0].body, answer);
  mark(Mark::kKnownBody);
}

void Simulation::note_named(const Subject& queue, const Message& message, const std::string& name,
                            const Result<Sent>& answer) {
  const std::pair key(queue.name, name);
  const Duration window = queue.options.deduplication.window;
  const bool is_new = !answer || !answer->duplicate;
  const auto known = known_ids_.find(key);
  const bool must_be_known = known != known_ids_.end() && world_->now() < known->second.first + window;
  mark(Mark::kDuplicate, !is_new);
  if (answer && must_be_known && (is_new || answer->id != known->second.second))
    throw Violation("message " + message.body + " was sent before and is there again");
  const auto tried = tried_ids_.find(key);
  const bool may_be_known = tried != tried_ids_.end() && world_->now_at_least() < tried->second + window;
  if (!is_new && !may_be_known)
    throw Violation("message " + message.body + " is called a duplicate, and nothing like it was sent");
  if (is_new) tried_ids_[key] = world_->now();
  if (answer && is_new && answer->durability == Durability::kFsync)
    known_ids_[key] = {world_->now_at_least(), answer->id};
}

void Simulation::note_there(const Subject& queue, const Message& message, Timestamp visible_at,
                            const std::optional<MessageId>& id) {
  Account account = new_account(queue, message, visible_at);
  account.id = id;
  ledger_.sent(message.body, std::move(account), true);
  if (queue.options.grouping.mode == Grouping::kOrdered && !message.delay)
    ledger_.lined_up(queue.name, message.group, message.body);
}

void Simulation::receive() {
  const Subject& queue = any_queue(random_.one_in(5));
  const bool started = !random_.one_in(6);
  const auto answer = world_->engine().receive(
      queue.name, {.max = random_.between(1, 10), .consumer = {"c", "1"}, .prefetch = !started});
  note_received(started ? "receive" : "prefetch", queue, answer, started);
}

bool Simulation::note_received(const char* verb, const Subject& queue, const Result<Deliveries>& answer,
                               bool started) {
  note_handed_out(verb, queue, answer, started);
  if (!answer) recover_from(verb, answer.error());
  return answer.has_value();
}

void Simulation::note_handed_out(const char* verb, const Subject& queue, const Result<Deliveries>& answer,
                                 bool started) {
  if (!answer) {
    note(verb, queue.name, error_info(answer.error().code).name);
    // The messages of the failed write are nobody's, but may be leased all the same.
    return ledger_.may_be_leased(queue.name, world_->now());
  }
  std::vector<std::string> bodies;
  for (const Delivery& delivery : *answer) {
    bodies.emplace_back(delivery.body);
    receipts_.push_back(delivery.receipt);
  }
  note(verb, queue.name, bodies);
  for (const Delivery& delivery : *answer)
    mark(Mark::kEdited, !find_attribute(delivery.attributes, kEditedAttribute).empty());
  take_in(queue, *answer, started);
  while (receipts_.size() > kRememberedReceipts) receipts_.pop_front();
}

void Simulation::take_in(const Subject& queue, const Deliveries& deliveries, bool started) {
  if (queue.options.grouping.mode == Grouping::kOrdered)
    ledger_.check_order(queue.name, deliveries, world_->now(), fewest_until_death(queue.options));
  if (queue.options.priority.levels > 1 && queue.options.priority.aging == Duration{0})
    ledger_.check_priorities(queue.name, deliveries);
  for (const Delivery& delivery : deliveries) {
    Delivery stored = delivery;
    stored.lease_expires_at = world_->now_at_least() + delivery.lease_left;
    ledger_.delivered(queue.name, stored, started, world_->now_at_least(), world_->now());
  }
}

// Returns a wait, mostly within the window, and now and then beyond its horizon.
Duration Simulation::any_wait() {
  return std::chrono::milliseconds(random_.one_in(3) ? random_.between(60'000, 200'000)
                                                     : random_.between(1, 2000));
}

// Lets the process stand still for longer than clients repeat calls. Often the process is started anew after
// that.
void Simulation::stand_still() {
  world_->advance(std::chrono::minutes(random_.between(1, 60)));
  note("the process stood still, it is", format_duration(world_->now_at_least() - testing::kTestEpoch));
  if (last_send_) last_send_->stood_still = true;
  world_->engine().run_due();  // this notices the standstill
  if (!random_.one_in(2)) return;
  breaks_ ? lose_process() : reopen();
}

// Lets minutes pass while the process runs and sees them pass.
void Simulation::idle() {
  note("nobody calls for some minutes");
  for (std::uint64_t looks = random_.between(1, 80); looks > 0; --looks) {
    world_->advance(Requests::kLongestStep * 9 / 10);
    world_->engine().run_due();
  }
}

void Simulation::pass_time() {
  // A waiting receive may have been given messages, whose leases would end before anybody looks.
  if (!wait_ && random_.one_in(30)) return stand_still();
  if (!wait_ && random_.one_in(60)) return idle();
  if (random_.one_in(20)) {
    const auto by = std::chrono::milliseconds(random_.between(1, random_.one_in(10) ? 10'000'000 : 20'000));
    // The clock goes forward more often than back, so that openings decide about the time that is stored.
    const bool back = random_.one_in(3);
    note("the clock is set", back ? "back by" : "forward by", format_duration(by));
    mark(Mark::kClockSet);
    return world_->set_clock(back ? -by : by);
  }
  world_->advance(std::chrono::milliseconds(random_.one_in(10) ? random_.between(1000, 100'000)
                                                               : random_.between(0, 500)));
  note("time passes, it is", format_duration(world_->now_at_least() - testing::kTestEpoch));
}

void Simulation::do_due() {
  note("what is due");
  const Timestamp next = world_->engine().run_due();
  if (!wait_) check_asks_in_time(next);
  if (random_.one_in(4)) world_->maintain();
}

// Checks that no lease and no delay ends before the engine asks to be called again, by the wall clock at
// `next`. What could not be read holds up its neighbours for a second.
void Simulation::check_asks_in_time(Timestamp next) {
  constexpr Duration kPause = std::chrono::seconds(1);
  Engine& engine = world_->engine();
  const Duration to_wall = world_->wall() - engine.now();
  for (const Subject& queue : queues_) {
    for (const bool scheduled : {false, true}) {
      const auto page = engine.peek(queue.name, {.scheduled = scheduled});
      if (!page) return;  // the step after this one meets the error
      for (const PeekedMessage& message : page->items) {
        if (message.due && next > std::max(*message.due + to_wall, world_->wall()) + kPause)
          throw Violation(queue.name + ": something is due before run_due() wants to be called again");
      }
    }
  }
}

void Simulation::break_something() {
  if (random_.one_in(4)) {
    full_ = !full_;
    note(full_ ? "the disk is full" : "the disk has space");
    return world_->set_full(full_);
  }
  if (!breaks_) return reopen();
  switch (random_.below(4)) {
    case 0:
      return reopen();
    case 1:
      note("a write will fail");
      return world_->break_a_write(random_);
    default:
      return die();
  }
}

void Simulation::begin(std::uint64_t step) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // spreads the steps over all seeds
  step_ = step;
  random_ = testing::Random(seed_ ^ (step * kGoldenRatio));
}

void Simulation::step(std::uint64_t number) {
  using Action = void (Simulation::*)();
  struct Share {
    std::uint64_t of_hundred;
    Action action;
  };
  static constexpr Share kShares[] = {
      {20, &Simulation::send},
      {19, &Simulation::receive},
      {15, &Simulation::settle},
      {4, &Simulation::extend},
      {3, &Simulation::redrive},
      {3, &Simulation::redrive_task},
      {2, &Simulation::triage},
      {2, &Simulation::discard},
      {7, &Simulation::transact},
      {3, &Simulation::repeat_send},
      {6, &Simulation::pass_time},
      {5, &Simulation::do_due},
      {4, &Simulation::break_something},
      {1, &Simulation::look},
      {1, &Simulation::pause},
      {1, &Simulation::alter},
      {1, &Simulation::come_and_go},
      {2, &Simulation::wait_for_messages},
      {1, &Simulation::add_and_drop_family},
  };
  begin(number);
  if (breaks_ && world_->loses_power_often() && random_.one_in(10)) return lose_power();
  std::uint64_t choice = random_.below(100);
  for (const auto& [share, action] : kShares) {
    if (choice < share) return (this->*action)();
    choice -= share;
  }
}

}  // namespace holdfast::simulation
