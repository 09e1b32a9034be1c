// Every verb runs beside every other verb, on two threads. No message is lost or doubled, and what is stored
// is sound. With tools/test --tsan, the tests also find data races. backup is missing, since the store in
// memory cannot make one: backup_test.cc runs it beside other calls.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/transaction.h"
#include "tests/support/answer.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 30;

// An engine with work in every queue. It counts what the verbs have done.
class Shop {
 public:
  Shop() {
    must(engine_.create_queue("orders", {.retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dead"}},
                              MissingQueues::kCreate));
    must(engine_.alter_queue("dead", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
    must(engine_.create_queue("spare"));
    must(engine_.create_queue("ordered",
                              {.retry = {.max_deliveries = 3},
                               .dead_letters = {.queue = "dead"},
                               .grouping = {.mode = Grouping::kOrdered}},
                              MissingQueues::kCreate));
    Random random(1);
    for (int i = 0; i < 5; ++i) {
      send(random);
      receive(random);
      reject(random);
    }
    send(random);
    receive(random);
  }

  void send(Random& random) {
    const auto sent =
        engine_.send_batch(any_queue(random), {{.body = "a", .group = "g"}, {.body = "b", .group = "h"}});
    for (const Result<Sent>& answer : must(sent)) expect_fsynced(must(answer).durability);
    sent_ += 2;
  }
  void receive(Random& random) {
    for (const Delivery& delivery :
         must(engine_.receive(any_queue(random), {.max = 3, .prefetch = !random.one_in(2)}))) {
      const std::scoped_lock lock(mutex_);
      receipts_.push_back(delivery.receipt);
    }
  }
  void ack(Random& random) {
    if (const auto receipt = any_receipt(random)) gone_ += settled(engine_.ack(*receipt));
  }
  void extend(Random& random) {
    if (const auto receipt = any_receipt(random)) settled(engine_.extend(*receipt, 1min));
  }
  void release(Random& random) {
    if (const auto receipt = any_receipt(random))
      settled(engine_.release(*receipt, {.charge = random.one_in(2)}));
  }
  void reject(Random& random) {
    if (const auto receipt = any_receipt(random)) settled(engine_.reject(*receipt, {.category = "c"}));
  }
  void pass_time(Random&) {
    clock_.advance(limits::kRequestWindow / (kRounds + 1));  // request ids are remembered over all rounds
    engine_.run_due();
  }
  void redrive(Random& random) { must(engine_.redrive("dead", {.max = random.between(1, 3)})); }
  void park(Random&) { must(engine_.redrive("dead", {.action = RedriveAction::kPark, .max = 1})); }
  void triage(Random&) {
    must(engine_.change_dead_letters("dead", {.all = true},
                                     {.status = DeadLetterStatus::kFixed, .note = "n"}));
  }
  void discard(Random&) {
    const auto page = must(engine_.list_dead_letters("dead", {.max = 1, .bodies = true}));
    if (page.items.empty()) return;
    const auto changed =
        must(engine_.discard_dead_letters("dead", {.filter = {.ids = {page.items[0].id}}})).changed;
    gone_ += changed;
    const std::scoped_lock lock(mutex_);
    if (changed > 0) discarded_ = page.items[0];
  }
  // The discard makes sure that there is a dead letter to bring back.
  void import(Random& random) {
    discard(random);
    std::optional<DeadLetter> letter;
    {
      const std::scoped_lock lock(mutex_);
      letter = std::exchange(discarded_, std::nullopt);
    }
    if (letter) gone_ -= must(engine_.import_dead_letters("dead", {*letter})).imported;
  }
  void transact(Random& random) {
    const auto receipt = any_receipt(random);
    const bool acks = receipt && random.one_in(2);
    const std::string number = std::to_string(++calls_);
    Transaction transaction;
    transaction.send(any_queue(random), {.body = "t"}).put(commits_, number, "");
    if (acks) {
      transaction.ack(*receipt);
    } else if (receipt && random.one_in(2)) {
      transaction.reject(*receipt, {.category = "t"});
    } else if (receipt) {
      transaction.release(*receipt, {.charge = random.one_in(2)});
    }
    const TransactionOptions options{.request_id = number};
    const auto done = engine_.commit(transaction, options);
    if (settled(done ? Result<void>() : tl::unexpected(done.error())) == 0) return;
    expect_fsynced(done->durability);
    const Committed again = must(engine_.commit(transaction, options));
    EXPECT_EQ(again.sent, done->sent);
    expect_fsynced(again.durability);
    ++sent_;
    ++committed_;
    gone_ += acks ? 1 : 0;
  }
  void repeat(Random& random) {
    const std::string queue = any_queue(random);
    const SendOptions options{.request_id = std::to_string(++calls_)};
    const Sent first = must(engine_.send(queue, {.body = "r"}, options));
    const Sent again = must(engine_.send(queue, {.body = "r"}, options));
    EXPECT_EQ(again.id, first.id);
    expect_fsynced(first.durability);
    expect_fsynced(again.durability);
    ++sent_;
  }
  void rows(Random&) {
    const ApplicationFamily family = must(engine_.open_family("brief"));
    expect_ok_or(ErrorCode::kFamilyNotFound,
                 engine_.commit(Transaction().put(family, "a", "1").put(family, "b", "2")));
    expect_ok_or(ErrorCode::kFamilyNotFound, engine_.get(family, "a"));
    // The other thread removes both rows at once, so there are two or none.
    if (const auto found = engine_.scan(family, "", "")) {
      EXPECT_TRUE(found->empty() || found->size() == 2);
    } else {
      EXPECT_EQ(found.error().code, ErrorCode::kFamilyNotFound);
    }
    const auto removed =
        engine_.commit(Transaction().expect(family, "a", "1").remove(family, "a").remove(family, "b"));
    if (!removed && removed.error().code != ErrorCode::kPreconditionFailed)
      expect_ok_or(ErrorCode::kFamilyNotFound, removed);
    must(engine_.list_families());
    expect_ok_or(ErrorCode::kFamilyNotFound, engine_.drop_family("brief"));
  }
  void listen(Random& random) {
    std::atomic<bool> over = false;
    {
      const Subscription subscription = must(
          engine_.subscribe({.buffer = random.between(1, 3)}, [&](const Event&) { EXPECT_FALSE(over); }));
      reject(random);
    }
    over = true;
  }
  // Sends with callbacks, with and without a request id, and repeats the call that has one.
  void send_by_callback(Random& random) {
    using Sends = BatchResult<Sent>;
    const std::string queue = any_queue(random);
    const SendOptions options{.request_id = std::to_string(++calls_)};
    Answer<Sends> plain;
    Answer<Sends> named;
    engine_.async_send_batch(queue, {{.body = "p"}}, {}, plain.callback());
    engine_.async_send_batch(queue, {{.body = "n"}}, options, named.callback());
    const Sent first = must(must(named.get()).at(0));
    expect_fsynced(first.durability);
    expect_fsynced(must(must(plain.get()).at(0)).durability);
    Answer<Sends> repeated;
    engine_.async_send_batch(queue, {{.body = "n"}}, options, repeated.callback());
    const Sent again = must(must(repeated.get()).at(0));
    EXPECT_EQ(again.id, first.id);
    expect_fsynced(again.durability);
    sent_ += 2;
  }
  void settle_by_callback(Random& random) {
    const auto receipt = any_receipt(random);
    if (!receipt) return;
    Answer<BatchResult<void>> acked;
    engine_.async_ack_batch({&*receipt, 1}, {}, acked.callback());
    gone_ += settled(must(acked.get()).at(0));
  }
  void wait(Random& random) {
    Answer<Result<Deliveries>> answer;
    const auto token = engine_.async_receive(any_queue(random), {.wait = 1min}, answer.callback());
    engine_.cancel_receive(token);
    for (const Delivery& delivery : must(answer.get())) {
      const std::scoped_lock lock(mutex_);
      receipts_.push_back(delivery.receipt);
    }
  }
  void post(Random& random) {
    Answer<Result<Redriven>> parked;
    Answer<Result<Redriven>> redriven;
    Answer<Result<QueueInfo>> described;
    const auto park =
        engine_.async_redrive("dead", {.action = RedriveAction::kPark, .max = 1}, parked.callback());
    const auto redrive = engine_.async_redrive("dead", {.max = 1}, redriven.callback());
    const auto describe = engine_.async_call([](Engine& engine) { return engine.describe_queue("orders"); },
                                             described.callback());
    for (const auto& call : {park, redrive, describe}) {
      if (random.one_in(2)) engine_.cancel_call(call);
    }
    expect_ok_or(ErrorCode::kCancelled, parked.get());
    expect_ok_or(ErrorCode::kCancelled, redriven.get());
    expect_ok_or(ErrorCode::kCancelled, described.get());
  }
  void start(Random& random) {
    if (const auto receipt = any_receipt(random)) settled(engine_.start(*receipt));
  }
  void start_and_cancel(Random&) {
    const TaskId task = must(engine_.redrive("dead", {.rate = 2, .wait = false})).task;
    engine_.run_due();
    must(engine_.redrive_status(task));
    must(engine_.cancel_redrive(task));
    must(engine_.list_redrives());
  }
  void redrive_with_a_function(Random& random) {
    must(engine_.redrive(
        "dead", {.max = random.between(1, 3), .wait = false},
        [](const DeadLetter& letter) -> Result<Message> { return Message{.body = letter.body + "!"}; }));
    engine_.run_due();
  }
  void pause_and_resume(Random&) {
    must(engine_.pause_queue("orders", {.deliveries = true}));
    must(engine_.resume_queue("orders", {.deliveries = true}));
  }
  // This verb also runs beside itself: a queue is deleted and created anew while it is sent to, received from
  // and purged.
  void come_and_go(Random& random) {
    must(engine_.create_queue("brief"));
    expect_ok_or(ErrorCode::kQueueNotFound,
                 engine_.send_batch("brief", {{.body = "gone with its queue"}, {.body = "too"}}));
    const auto received = engine_.receive("brief", {.max = 2});
    expect_ok_or(ErrorCode::kQueueNotFound, received);
    for (const Delivery& delivery : received.value_or(Deliveries())) {
      const Receipt& receipt = delivery.receipt;
      // The receipt is stale once another queue has that name.
      settled_or_no_queue(random.one_in(2) ? engine_.ack(receipt) : engine_.release(receipt));
    }
    if (random.one_in(2)) expect_ok_or(ErrorCode::kQueueNotFound, engine_.purge_queue("brief"));
    expect_ok_or(ErrorCode::kQueueNotFound, engine_.describe_queue("brief"));
    expect_ok_or(ErrorCode::kQueueNotFound, engine_.delete_queue("brief"));
  }
  void purge(Random& random) {
    static const std::vector<std::string> queues{"parked", "orders", "ordered", "dead", "spare"};
    // These calls make sure that the other thread finds messages until the end.
    send(random);
    receive(random);
    reject(random);
    send(random);
    gone_ += must(engine_.purge_queue(random.pick(queues)));
  }
  void alter(Random& random) {
    must(engine_.alter_queue(
        "orders",
        {.lease = std::chrono::seconds(random.between(10, 60)),
         .dead_letters = {.queue = random.one_in(2) ? "dead" : "spare"},
         .deduplication = {.mode = random.one_in(2) ? Deduplication::kById : Deduplication::kNone}},
        MissingQueues::kCreate));
  }
  void look(Random&) {
    EXPECT_TRUE(engine_.health().writes);
    must(EngineInside::leased(engine_, all_receipts()));
    must(engine_.list_queues());
    for (const DeadLetter& letter : must(engine_.list_dead_letters("dead", {.bodies = true})).items)
      expect_ok_or(ErrorCode::kMessageNotFound, engine_.get_dead_letter("dead", letter.seq));
    must(engine_.group_dead_letters("dead"));
    must(engine_.queue_statistics("orders"));
    must(engine_.statistics());
    must(engine_.dead_letter_statistics("dead"));
    must(engine_.redrive("dead", {.dry_run = true}));
    must(engine_.redrive("dead", {.action = RedriveAction::kPark, .dry_run = true}));
    must(engine_.describe_queue("orders"));
    must(engine_.compact("orders"));
    for (const PeekedMessage& message : must(engine_.peek("orders")).items)
      expect_ok_or(ErrorCode::kMessageNotFound, engine_.message_history(message.id));
    must(engine_.verify());
  }

  // Checks that no message is missing and that none is there twice.
  void expect_each_message_once() {
    EXPECT_TRUE(must(engine_.verify()).sound());
    std::set<MessageId> found;
    advance(engine_, clock_, 1h);
    for (const char* queue : {"orders", "ordered", "dead", "spare", "parked"}) {
      for (;;) {
        const Deliveries some = must(engine_.receive(queue, {.max = 100}));
        if (some.empty()) break;
        for (const Delivery& delivery : some) {
          must(engine_.ack(delivery.receipt));
          EXPECT_TRUE(found.insert(delivery.id).second) << "twice: " << delivery.body;
        }
      }
    }
    EXPECT_EQ(found.size() + gone_, sent_);
    EXPECT_EQ(must(engine_.scan(commits_, "", "")).size(), committed_);
  }

 private:
  static const char* any_queue(Random& random) { return random.one_in(3) ? "ordered" : "orders"; }

  std::optional<Receipt> any_receipt(Random& random) {
    const std::scoped_lock lock(mutex_);
    if (receipts_.empty()) return std::nullopt;
    const auto at = receipts_.begin() + static_cast<std::ptrdiff_t>(random.below(receipts_.size()));
    const Receipt receipt = *at;
    // Now and then a receipt stays for the other thread.
    if (!random.one_in(4)) receipts_.erase(at);
    return receipt;
  }

  std::vector<Receipt> all_receipts() {
    const std::scoped_lock lock(mutex_);
    return {receipts_.begin(), receipts_.end()};
  }

  static std::uint64_t settled(const Result<void>& answer) {
    if (answer) return 1;
    const ErrorCode code = answer.error().code;
    EXPECT_TRUE(code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound)
        << to_string(answer.error());
    return 0;
  }

  static void settled_or_no_queue(const Result<void>& answer) {
    if (answer || answer.error().code != ErrorCode::kQueueNotFound) settled(answer);
  }

  // Nobody in this test asks for less than an fsync.
  static void expect_fsynced(Durability said) { EXPECT_EQ(said, Durability::kFsync); }

  template <class T>
  static void expect_ok_or(ErrorCode code, const Result<T>& answer) {
    EXPECT_TRUE(answer || answer.error().code == code) << to_string(answer.error());
  }

  ManualClock clock_;
  Engine engine_ =
      must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                   {.clock = &clock_, .background = false, .free_space_reserve = 0}));
  const ApplicationFamily commits_ = must(engine_.open_family("commits"));  // each commit puts a row into it
  std::mutex mutex_;
  std::deque<Receipt> receipts_;
  std::optional<DeadLetter> discarded_;
  std::atomic<std::uint64_t> sent_ = 0;
  std::atomic<std::uint64_t> gone_ = 0;
  std::atomic<std::uint64_t> committed_ = 0;
  std::atomic<std::uint64_t> calls_ = 0;
};

struct Verb {
  const char* name;
  void (Shop::*run)(Random&);
};

constexpr Verb kVerbs[] = {
    {"send", &Shop::send},
    {"receive", &Shop::receive},
    {"ack", &Shop::ack},
    {"extend", &Shop::extend},
    {"release", &Shop::release},
    {"reject", &Shop::reject},
    {"time", &Shop::pass_time},
    {"redrive", &Shop::redrive},
    {"park", &Shop::park},
    {"triage", &Shop::triage},
    {"discard", &Shop::discard},
    {"purge", &Shop::purge},
    {"alter", &Shop::alter},
    {"look", &Shop::look},
    {"import", &Shop::import},
    {"commit", &Shop::transact},
    {"start", &Shop::start},
    {"start and cancel", &Shop::start_and_cancel},
    {"redrive with a function", &Shop::redrive_with_a_function},
    {"pause and resume", &Shop::pause_and_resume},
    {"create and delete", &Shop::come_and_go},
    {"repeat", &Shop::repeat},
    {"rows", &Shop::rows},
    {"listen", &Shop::listen},
    {"wait and cancel", &Shop::wait},
    {"send by callback", &Shop::send_by_callback},
    {"settle by callback", &Shop::settle_by_callback},
    {"post and cancel", &Shop::post},
};

void run_beside(const Verb& one, const Verb& other) {
  SCOPED_TRACE(std::string(one.name) + " beside " + other.name);
  Shop shop;
  const auto repeat = [&shop](const Verb& verb, std::uint64_t seed) {
    Random random(seed);
    try {
      for (int i = 0; i < kRounds; ++i) (shop.*verb.run)(random);
    } catch (const std::exception& wrong) {
      ADD_FAILURE() << verb.name << ": " << wrong.what();
    }
  };
  std::thread thread(repeat, std::cref(one), 1);
  repeat(other, 2);
  thread.join();
  shop.expect_each_message_once();
}

TEST(VerbPairs, NoVerbHarmsAnother) {
  for (auto one = std::begin(kVerbs); one != std::end(kVerbs); ++one) {
    for (auto other = one; other != std::end(kVerbs); ++other) {
      if (one->run == &Shop::look && other->run == &Shop::look) continue;
      run_beside(*one, *other);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
