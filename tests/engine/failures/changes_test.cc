// Options change at random while messages come and go, and the process is killed. Nothing is lost, doubled or
// stuck. The machine is never killed, since that would lose answered sends and acks that were buffered.
// Some options are left out. on_expiry and on_overflow that drop, and a time to live where there is no dead
// letter queue, drop messages without saying which. Deduplication by content does nothing here, since all
// bodies differ, nor does require_group, since all messages have groups. Without an archive, which needs a
// directory, keep_replayed and keep_abandoned do nothing either.
#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/last_words.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Changes {
 public:
  explicit Changes(std::uint64_t seed) : random_(seed), disk_(std::make_shared<MemoryDisk>(seed)) {
    open();
    for (const std::string queue : {"parked", "dead", "spare"}) {
      const std::string parking = queue == "parked" ? "" : "parked";
      must(engine_->create_queue(
          queue,
          {.lease = kLease, .retry = {.max_deliveries = 2}, .dead_letters = {.parking_queue = parking}},
          MissingQueues::kCreate));
    }
    must(engine_->create_queue(
        "orders", {.lease = kLease, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dead"}},
        MissingQueues::kCreate));
    must(engine_->create_queue("mail", {.lease = kLease, .retry = {.max_deliveries = 2}}));
  }

  void run(std::uint64_t steps) {
    for (std::uint64_t i = 0; i < steps; ++i) {
      step();
      EXPECT_EQ(messages(), there_.size()) << "after step " << i;
      if (i % 10 == 0) {
        EXPECT_TRUE(must(engine_->verify()).sound()) << "after step " << i;
      }
      if (::testing::Test::HasFailure()) return;
    }
    take_out_all();
  }

 private:
  static constexpr Duration kLease = 5s;

  struct Holder {
    Receipt receipt{};
    Timestamp until{};
  };
  struct Held {
    Receipt receipt;
    std::string body;
    std::string queue;
  };

  void open() {
    engine_.reset();
    power_ = power_on();
    engine_.emplace(
        must(EngineInside::open_over(std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_),
                                     {.clock = &clock_, .background = false, .message_cache_bytes = 1})));
  }

  void kill() {
    *power_ = false;
    open();
  }

  void step() {
    const std::uint64_t choice = random_.below(100);
    if (choice < 25) return send();
    if (choice < 50) return receive(any_queue());
    if (choice < 68) return settle_some();
    if (choice < 80) return change();
    if (choice < 88) return pass_time();
    if (choice < 92) return kill();
    const std::string queue = random_.one_in(2) ? "dead" : "spare";
    const std::uint64_t max = random_.one_in(3) ? 0 : random_.between(1, 4);
    if (!random_.one_in(5)) {
      must(engine_->redrive(queue, {.max = max}));
    } else if (const auto parked = engine_->redrive(queue, {.action = RedriveAction::kPark, .max = max});
               !parked) {
      EXPECT_EQ(must(engine_->describe_queue(queue)).options.dead_letters.parking_queue, "")
          << to_string(parked.error());
    }
  }

  std::string any_queue() {
    static const std::vector<std::string> queues{"orders", "orders", "mail",  "mail",
                                                 "dead",   "spare",  "parked"};
    return random_.pick(queues);
  }

  Message any_message() {
    Message message{.body = std::to_string(++sent_) + std::string(random_.below(30), 'x'),
                    .group = std::to_string(random_.below(4))};
    if (random_.one_in(5)) message.delay = random_.one_in(3) ? Duration(100s) : Duration(1s);
    if (random_.one_in(2)) message.priority = static_cast<std::uint32_t>(random_.below(4));
    if (random_.one_in(4)) message.deduplication_id = std::to_string(random_.below(30));
    return message;
  }

  // A message may be refused for a priority that the queue does not have, for a queue that is full, or for a
  // body that is too large for the queue.
  void send() {
    std::vector<Message> messages(random_.one_in(20) ? random_.between(100, 300) : random_.between(1, 6));
    std::ranges::generate(messages, [&] { return any_message(); });
    const auto answers = must(engine_->send_batch(random_.one_in(2) ? "orders" : "mail", messages));
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (answers[i] && !answers[i]->duplicate) there_.insert(messages[i].body);
    }
  }

  void receive(const std::string& queue) {
    const std::size_t max = random_.one_in(8) ? 200 : random_.between(1, 8);
    for (const Delivery& delivery :
         must(engine_->receive(queue, {.max = max, .prefetch = random_.one_in(5)}))) {
      const std::string body(delivery.body);
      EXPECT_TRUE(there_.contains(body)) << body << " is back";
      EXPECT_LE(holders_[body].until, clock_.now()) << body << " is held twice";
      holders_[body] = {delivery.receipt, delivery.lease_expires_at};
      held_.push_back({delivery.receipt, body, queue});
    }
  }

  void settle_some() {
    for (int i = 0; i < 6 && !held_.empty(); ++i) {
      const auto one = held_.begin() + static_cast<std::ptrdiff_t>(random_.below(held_.size()));
      const Held held = *one;
      held_.erase(one);
      settle(held);
    }
  }

  void settle(const Held& held) {
    const Receipt& receipt = held.receipt;
    const std::string& body = held.body;
    Holder& holder = holders_[body];
    const bool holds = holder.receipt == receipt && holder.until > clock_.now();
    const std::uint64_t choice = random_.below(10);
    Result<void> answer;
    if (choice < 3) {
      answer = engine_->ack(receipt);
      EXPECT_TRUE(!answer || there_.erase(body) == 1) << body << " is acknowledged twice";
    } else if (choice < 6) {
      answer = engine_->release(receipt, any_release());
    } else if (choice < 8) {
      answer = reject(held);
    } else {
      const Duration lease = std::chrono::seconds(random_.between(1, 10));
      answer = engine_->extend(receipt, lease);
      if (!answer) return note_refusal(answer.error(), holds, body);
      holder.until = clock_.now() + lease;
      held_.push_back(held);
      return;
    }
    if (!answer) return note_refusal(answer.error(), holds, body);
    holder.until = {};
  }

  // A rejected message that has nowhere to go is gone.
  Result<void> reject(const Held& held) {
    const std::string category = random_.one_in(2) ? "c" : "";
    const QueueOptions options = must(engine_->describe_queue(held.queue)).options;
    auto answer = engine_->reject(held.receipt, {.category = category, .reason = "r"});
    const bool routed = std::ranges::find(options.dead_letters.routes, category,
                                          &DeadLetterRoute::category) != options.dead_letters.routes.end();
    if (answer && options.dead_letters.queue.empty() && !routed) {
      EXPECT_TRUE(options.dead_letters.discard_rejected) << held.body << " had nowhere to go";
      EXPECT_EQ(there_.erase(held.body), 1) << held.body << " is discarded twice";
    }
    return answer;
  }

  // A queue may refuse what it cannot do, and then the receipt stays valid. Every other refusal is of a
  // receipt that is over.
  void note_refusal(const Error& error, bool holds, const std::string& body) {
    if (error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kNoDeadLetterQueue) return;
    EXPECT_FALSE(holds) << body << ": " << to_string(error);
    EXPECT_TRUE(error.code == ErrorCode::kReceiptStale || error.code == ErrorCode::kMessageNotFound)
        << to_string(error);
  }

  ReleaseOptions any_release() {
    ReleaseOptions options{.charge = random_.one_in(2)};
    if (random_.one_in(3)) options.delay = random_.one_in(2) ? Duration(70s) : Duration(1s);
    if (random_.one_in(3)) options.to = ReturnTo::kTail;
    return options;
  }

  void pass_time() {
    clock_.advance(random_.one_in(6) ? Duration(std::chrono::seconds(random_.between(60, 200)))
                                     : Duration(std::chrono::milliseconds(random_.between(0, 4000))));
    if (random_.one_in(2)) run_due_until_quiet(*engine_, clock_);
  }

  // The queue may refuse groups while it has messages of higher priorities, and a dead letter queue that does
  // not allow it.
  void change() {
    const std::string queue = any_queue();
    if (queue == "parked") return;
    static const std::set refusals{ErrorCode::kInvalidArgument, ErrorCode::kPermissionDenied,
                                   ErrorCode::kQueueInUse};
    const auto answer = engine_->alter_queue(queue, any_changes(queue), MissingQueues::kCreate);
    EXPECT_TRUE(answer || refusals.contains(answer.error().code)) << to_string(answer.error());
  }

  QueueChanges any_changes(const std::string& queue) {
    const bool is_source = queue == "orders" || queue == "mail";
    if (!is_source && random_.one_in(2)) return any_gathering();
    switch (random_.below(12)) {
      case 0:
        return {.retry = {.max_deliveries = static_cast<std::uint32_t>(random_.between(1, 4)),
                          .budget = random_.one_in(2) ? Duration(3s) : Duration{0}}};
      case 1:
        if (queue == "mail") return {.dead_letters = {.queue = random_.one_in(3) ? "" : "spare"}};
        if (queue == "dead") return {.dead_letters = {.queue = random_.one_in(2) ? "" : "spare"}};
        return {};
      case 2:
        return {.grouping = {.mode = random_.one_in(2) ? Grouping::kFair : Grouping::kOrdered},
                .priority = {.levels = 1}};
      case 3:
        return {.grouping = {.mode = Grouping::kNone},
                .priority = {.levels = static_cast<std::uint32_t>(random_.between(1, 4)),
                             .aging = random_.one_in(2) ? Duration(1s) : Duration{0}}};
      case 4:
        return {.retry = {.policy = any_retry()}};
      case 5:
        if (!is_source) return {};
        return {
            .limits = {.max_length = random_.one_in(3) ? 0 : random_.between(2, 60),
                       .max_bytes = random_.one_in(3) ? random_.between(100, 2000) : 0,
                       .on_overflow = random_.one_in(2) || queue == "mail" ? OverflowPolicy::kRejectSend
                                                                           : OverflowPolicy::kDeadLetterHead},
            .deduplication = {.mode = random_.one_in(2) ? Deduplication::kNone : Deduplication::kById,
                              .window = std::chrono::seconds(random_.between(1, 60))}};
      case 6:
        return {.durability = random_.one_in(2) ? Durability::kBuffered : Durability::kFsync,
                .journal = random_.one_in(2)
                               ? JournalOptions{}
                               : JournalOptions{.max_entries = limits::kJournalEntriesMin,
                                                .keep = random_.one_in(2) ? Duration(20s) : Duration{0}}};
      case 7:
        return {.lease = std::chrono::seconds(random_.between(1, 10)),
                .delay = random_.one_in(2) ? Duration(2s) : Duration{0},
                .dead_letters = {.discard_rejected = random_.one_in(2)}};
      case 8:
        return {.limits = {.max_body_bytes = random_.one_in(2)
                                                 ? limits::kBodyBytes
                                                 : static_cast<std::uint32_t>(random_.between(5, 30))},
                .tags = Tags{{"changed", std::to_string(random_.below(100))}}};
      case 9:
        if (queue == "spare") return {};
        return {.dead_letters = {.routes = random_.one_in(2) ? std::vector<DeadLetterRoute>{}
                                                             : std::vector<DeadLetterRoute>{{"c", "spare"}}}};
      case 10:
        if (queue != "orders") return {};
        return {.expiry = {.time_to_live =
                               std::chrono::seconds(random_.one_in(3) ? 0 : random_.between(1, 100))}};
      default:
        return {.limits = {.max_leased = random_.one_in(2) ? 0 : random_.between(1, 20)},
                .brake = FloodBrake{.deaths_per_minute = static_cast<std::uint32_t>(random_.below(3)),
                                    .delay = 2s}};
    }
  }

  RetryPolicy any_retry() {
    if (random_.one_in(4)) return {};
    const Duration base = random_.one_in(2) ? Duration(1s) : Duration(90s);
    RetryPolicy retry;
    switch (random_.below(3)) {
      case 0:
        retry = {.kind = RetryKind::kFixed, .base = base};
        break;
      case 1:
        retry = {.kind = RetryKind::kExponential, .base = base, .cap = 3 * base};
        break;
      default:
        retry = {.kind = RetryKind::kStages, .stages = {Duration{0}, base}};
    }
    if (random_.one_in(2)) retry.jitter = 0.5;
    if (random_.one_in(2)) retry.to = ReturnTo::kTail;
    return retry;
  }

  // Draws a change of options that only dead letter queues have.
  QueueChanges any_gathering() {
    switch (random_.below(4)) {
      case 0:
        return {.dead_letters = {.parking_queue = random_.one_in(2) ? "" : "parked"}};
      case 1: {
        AutoRedrive policy{.every = std::chrono::seconds(random_.one_in(4) ? 0 : random_.between(1, 4)),
                           .max = static_cast<std::uint32_t>(random_.between(1, 30)),
                           .backoff = random_.one_in(2) ? Duration(1s) : Duration{0},
                           .backoff_max = 8s,
                           .max_replays = static_cast<std::uint32_t>(random_.between(1, 20)),
                           .give_up_after = random_.one_in(3) ? Duration(100s) : Duration{0}};
        if (random_.one_in(4)) policy.categories = {"c"};
        return {.dead_letters = {.auto_redrive = policy}};
      }
      case 2:
        return {.alerts = AlertRules{.depth = {.above = random_.below(5)},
                                     .arrivals = {.above = static_cast<std::uint32_t>(random_.below(5))},
                                     .arrivals_for = 1min,
                                     .oldest = {.above = std::chrono::seconds(random_.below(60))}}};
      default: {
        using Allow = DeadLetterSources::Allow;
        const Allow allow = random_.pick(std::vector{Allow::kAll, Allow::kNone, Allow::kListed});
        std::vector<std::string> listed;
        if (allow == Allow::kListed) listed = {"orders", random_.one_in(2) ? "mail" : "dead"};
        return {.dead_letters = {.sources = DeadLetterSources{allow, listed}}};
      }
    }
  }

  std::uint64_t messages() {
    std::uint64_t sum = 0;
    for (const QueueInfo& queue : must(engine_->list_queues()))
      sum += queue.counts.ready + queue.counts.waiting + queue.counts.leased;
    return sum;
  }

  void take_out_all() {
    constexpr int kEnough = 200;  // in each of these hours, leases and delays end
    for (int hour = 0; hour < kEnough && !there_.empty(); ++hour) {
      clock_.advance(1h);
      run_due_until_quiet(*engine_, clock_);
      for (const QueueInfo& queue : must(engine_->list_queues())) take_out(queue.name);
    }
    EXPECT_TRUE(there_.empty()) << *there_.begin() << " and others never come";
    EXPECT_TRUE(must(engine_->verify()).sound());
  }

  void take_out(const std::string& queue) {
    for (;;) {
      const Deliveries deliveries = must(engine_->receive(queue, {.max = 50}));
      if (deliveries.empty()) return;
      for (const Delivery& delivery : deliveries) {
        must(engine_->ack(delivery.receipt));
        EXPECT_EQ(there_.erase(std::string(delivery.body)), 1U) << delivery.body << " is there twice";
      }
    }
  }

  Random random_;
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_;
  PowerSwitch power_;
  std::optional<Engine> engine_;
  std::uint64_t sent_ = 0;
  std::set<std::string> there_;
  std::map<std::string, Holder> holders_;
  std::vector<Held> held_;
};

TEST(Changes, OfOptionsHarmNoMessage) {
  const std::uint64_t first = environment_number("HOLDFAST_CHANGES_FIRST_SEED", 1);
  const std::uint64_t seeds = environment_count("HOLDFAST_CHANGES_SEEDS", 40);
  for (std::uint64_t seed = first; seed < first + seeds && !::testing::Test::HasFailure(); ++seed) {
    const LastWords words("seed " + std::to_string(seed));
    SCOPED_TRACE("seed " + std::to_string(seed));
    Changes(seed).run(300);
  }
}

}  // namespace
}  // namespace holdfast::testing
