// Some changes are made in steps, each of which is a commit. The tests cut them between any two steps: the
// n-th commit fails, for each n in turn, and then the process or the machine dies. After that each message is
// where it was or where it was to go, and nowhere else. What was answered is done. If the change is made
// again, it is done to the end.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/archive.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/print.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

using Places = std::multiset<std::string>;

class Bulk : public CrashableEngine {
 public:
  Bulk(std::uint64_t seed, const TempDir& archive)
      : CrashableEngine(seed, archive.path()), archive_(archive.path()) {
    must(engine_->create_queue("parked"));
    must(engine_->create_queue("other"));
    must(engine_->create_queue("dlq",
                               {.dead_letters = {.parking_queue = "parked"}, .retention = {.abandoned = 24h}},
                               MissingQueues::kCreate));
    must(engine_->create_queue(
        "orders", {.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
  }

  // --- how a change begins ---

  void send(std::size_t count, const Message& message = {.body = "x"}) {
    for (std::size_t left = count; left > 0;) {
      const std::size_t some = std::min(left, limits::kBatchEntries);
      for (const auto& sent : must(engine_->send_batch("orders", std::vector<Message>(some, message))))
        ids_.insert(must(sent).id);
      left -= some;
    }
  }
  void kill(std::size_t count) {
    send(count);
    for (Receipts receipts = receive_all(); !receipts.empty(); receipts = receive_all()) {
      for (const auto& rejected : must(engine_->reject_batch(receipts, {}))) must(rejected);
    }
  }
  void abandon(std::size_t count) {
    kill(count);
    must(engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  }

  // --- the change: gives how many messages it was made to, if that is answered ---

  using Done = Result<std::optional<std::uint64_t>>;

  Done triage() {
    return count(
        engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kInvestigating}),
        &DeadLettersChanged::changed);
  }
  Done discard() {
    return count(engine_->discard_dead_letters("dlq", {.all = true}), &DeadLettersChanged::changed);
  }
  Done redrive() { return count(engine_->redrive("dlq"), &Redriven::moved); }
  Done park() { return count(engine_->redrive("dlq", {.action = RedriveAction::kPark}), &Redriven::parked); }
  // Passes the time in which expiry, retention, or what is sent for later has to act.
  Done pass_a_day() { return pass(24h); }
  // Does what was due before a restart, which must not forget it.
  Done go_on() { return pass(0h); }
  // Lets the last delivery of each message fail by its lease.
  Done let_leases_end() {
    for (;;) {
      const auto some = engine_->receive("orders", {.max = limits::kBatchEntries});
      if (!some) return tl::unexpected(some.error());
      if (some->empty()) return pass(10s);
    }
  }

  // --- what becomes of it ---

  void fail_commit(std::uint64_t nth, CommitOutcome outcome) { disk_->fail_commit(nth, outcome); }
  // Commits until one fails: the change has taken too few commits to reach the one that fails.
  void use_up_the_failure() {
    while (engine_->send("other", {.body = "x"}, {.durability = Durability::kBuffered})) {
    }
  }
  void crash(Crash how) { CrashableEngine::crash(how); }
  std::size_t size() const { return ids_.size(); }

  // Returns how many messages are in which places. Checks that the counts of the queues agree.
  std::map<Places, std::uint64_t> look_through() {
    EXPECT_TRUE(must(engine_->verify()).sound());
    std::map<Places, std::uint64_t> counts;
    for (const auto& [id, places] : find_all()) ++counts[places];
    std::map<std::string, std::uint64_t> here;  // messages by the first word of a place
    for (const auto& [places, count] : counts) {
      for (const std::string& place : places) here[place.substr(0, place.find(' '))] += count;
    }
    for (const char* queue : {"orders", "dlq", "parked"}) {
      const QueueCounts told = must(engine_->describe_queue(queue)).counts;
      EXPECT_EQ(told.ready + told.waiting + told.leased, here[queue]) << queue;
      EXPECT_EQ(told.dead, queue == std::string("orders") ? 0 : here[queue]) << queue;
    }
    return counts;
  }

 private:
  using Receipts = std::vector<Receipt>;

  std::map<MessageId, Places> find_all() {
    std::map<MessageId, Places> found;
    for (const MessageId& id : ids_) found[id];
    for (const char* queue : {"orders", "parked"}) add_live(found, queue);
    add_letters(found);
    std::set<MessageId> archived;  // the archive may have some of them twice
    for (const DeadLetter& letter : read_archive(archive_)) archived.insert(letter.record.message_id);
    for (const MessageId& id : archived) found[id].insert("archive");
    EXPECT_EQ(found.size(), ids_.size()) << "some have another id than they were sent with";
    return found;
  }

  template <class T>
  static Done count(const Result<T>& answer, std::uint64_t T::*changed) {
    if (!answer) return tl::unexpected(answer.error());
    return (*answer).*changed;
  }
  Done pass(Duration time) {
    clock_.advance(time);
    while (engine_->health().writes && engine_->run_due() <= clock_.now()) {
    }
    if (auto healthy = engine_->health().writes; !healthy) return tl::unexpected(healthy.error());
    return std::nullopt;
  }
  Receipts receive_all() {
    Receipts receipts;
    for (const Delivery& delivery : must(engine_->receive("orders", {.max = limits::kBatchEntries})))
      receipts.push_back(delivery.receipt);
    return receipts;
  }
  void add_live(std::map<MessageId, Places>& found, const std::string& queue) {
    for (const bool scheduled : {false, true}) {
      PeekOptions options{.max = limits::kListPage, .scheduled = scheduled};
      do {
        const PeekPage page = must(engine_->peek(queue, options));
        for (const PeekedMessage& message : page.items)
          found[message.id].insert(scheduled ? queue + " later" : queue);
        options.from = page.next;
        options.from_scheduled = page.next_scheduled;
      } while (options.from || options.from_scheduled);
    }
  }
  void add_letters(std::map<MessageId, Places>& found) {
    std::optional<DeadLetterCursor> after;
    do {
      const DeadLetterPage page = must(engine_->list_dead_letters(
          "dlq", {.filter = {.history = true}, .after = after, .max = limits::kListPage}));
      for (const DeadLetter& letter : page.items) {
        found[letter.record.message_id].insert((letter.history ? "history " : "dlq ") +
                                               std::string(to_string(letter.triage.status)));
      }
      after = page.next;
    } while (after);
  }

  const std::filesystem::path archive_;
  std::set<MessageId> ids_;
};

struct BulkChange {
  const char* name;
  void (*prepare)(Bulk&);
  Bulk::Done (Bulk::*run)();
  Bulk::Done (Bulk::*finish)();  // makes the change again after it was cut
  Places before;
  Places after;
  Places between = {};  // where a message may also be if the change was cut

  friend void PrintTo(const BulkChange& change, std::ostream* out) { *out << change.name; }
};

// Each change takes more than one step.
const BulkChange kChanges[] = {
    {"Triage",
     [](Bulk& bulk) { bulk.kill(1'200); },
     &Bulk::triage,
     &Bulk::triage,
     {"dlq new"},
     {"dlq investigating"}},
    {"Discard",
     [](Bulk& bulk) { bulk.kill(1'200); },
     &Bulk::discard,
     &Bulk::discard,
     {"dlq new"},
     {"history abandoned"}},
    {"Redrive",
     [](Bulk& bulk) { bulk.kill(4'200); },
     &Bulk::redrive,
     &Bulk::redrive,
     {"dlq new"},
     {"history replayed", "orders"}},
    {"Park", [](Bulk& bulk) { bulk.kill(4'200); }, &Bulk::park, &Bulk::park, {"dlq new"}, {"parked"}},
    {"Retention",
     [](Bulk& bulk) { bulk.abandon(600); },
     &Bulk::pass_a_day,
     &Bulk::go_on,
     {"dlq abandoned"},
     {"archive"},
     {"archive", "dlq abandoned"}},
    {"Expiry",
     [](Bulk& bulk) { bulk.send(1'100, {.body = "x", .time_to_live = 1h}); },
     &Bulk::pass_a_day,
     &Bulk::go_on,
     {"orders"},
     {"dlq new"}},
    {"Entering",
     [](Bulk& bulk) { bulk.send(2'500, {.body = "x", .delay = 1h}); },
     &Bulk::pass_a_day,
     &Bulk::go_on,
     {"orders later"},
     {"orders"}},
    {"LastLeases",
     [](Bulk& bulk) { bulk.send(500); },
     &Bulk::let_leases_end,
     &Bulk::let_leases_end,
     {"orders"},
     {"dlq new"}},
};

struct Cut {
  const char* name;
  CommitOutcome outcome;
  Crash crash;
  // This many seeds of the disk are tried, which say whether an unknown commit is there and what is lost.
  std::uint64_t seeds;

  friend void PrintTo(const Cut& cut, std::ostream* out) { *out << cut.name; }
};
constexpr Cut kCuts[] = {{"AndDies", CommitOutcome::kFailed, Crash::kProcess, 1},
                         {"MaybeFailsAndDies", CommitOutcome::kUnknown, Crash::kProcess, 2},
                         {"AndLosesPower", CommitOutcome::kFailed, Crash::kMachine, 3}};

class BulkSteps : public ::testing::TestWithParam<std::tuple<BulkChange, Cut>> {
 protected:
  // Cuts the change at its n-th commit. Returns false if the change takes fewer commits.
  bool cut_at(std::uint64_t nth, std::uint64_t seed) {
    const auto& [change, cut] = GetParam();
    const TempDir archive;
    Bulk bulk(seed * 1000 + nth, archive);
    change.prepare(bulk);
    bulk.fail_commit(nth, cut.outcome);
    const auto ended = (bulk.*change.run)();
    if (ended) bulk.use_up_the_failure();
    bulk.crash(cut.crash);

    std::map<Places, std::uint64_t> seen = bulk.look_through();
    cut_within_ |= seen.size() > 1;
    // What the engine does by itself is on disk some time later, so a machine that dies may lose it.
    const bool is_open = !ended || (!*ended && cut.crash == Crash::kMachine);
    for (const auto& [places, count] : seen) {
      const bool is_between = !change.between.empty() && places == change.between;
      EXPECT_TRUE(places == change.after || (is_open && (places == change.before || is_between)))
          << count << " messages are in " << ::testing::PrintToString(places);
    }

    // A task that was cut goes on by itself. Half of the seeds let it do so before it is asked for again.
    if (seed % 2 == 0) {
      must(bulk.go_on());
      seen = bulk.look_through();
    }
    const std::uint64_t left = seen[change.before];
    const auto finished = must((bulk.*change.finish)());
    EXPECT_EQ(finished.value_or(left), left);
    must(bulk.go_on());
    EXPECT_EQ(bulk.look_through()[change.after], bulk.size());
    return !ended;
  }

  bool cut_within_ = false;
};
INSTANTIATE_TEST_SUITE_P(Each, BulkSteps,
                         ::testing::Combine(::testing::ValuesIn(kChanges), ::testing::ValuesIn(kCuts)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name;
                         });

TEST_P(BulkSteps, NothingIsLostOrDoubledBetweenThem) {
  for (std::uint64_t seed = 1; seed <= std::get<Cut>(GetParam()).seeds; ++seed) {
    bool more = true;
    for (std::uint64_t nth = 1; more && !HasFailure(); ++nth) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", commit " + std::to_string(nth));
      more = cut_at(nth, seed);
    }
  }
  EXPECT_TRUE(cut_within_);
}

}  // namespace
}  // namespace holdfast::testing
