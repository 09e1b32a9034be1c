// What is done in steps, each a commit of its own, is cut between any two of them: the n-th commit fails, for
// each n in turn, and then the process or the machine dies. Each message is then where it was or where it was
// to go, and nowhere else; what was answered is done; and asked for again, it is done to the end.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "support/archive.h"
#include "support/crashable_engine.h"
#include "support/print.h"
#include "support/temp_dir.h"

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
    must(engine_->create_queue("dlq", {.parking_queue = "parked", .keep_abandoned = 24h}));
    must(engine_->create_queue("orders", {.max_deliveries = 1, .dead_letter_queue = "dlq", .lease = 10s}));
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
      for (const auto& rejected : engine_->reject_batch(receipts, {})) must(rejected);
    }
  }
  void abandon(std::size_t count) {
    kill(count);
    must(engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  }

  // --- the change ---

  Result<void> triage() {
    return done(
        engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kInvestigating}));
  }
  Result<void> discard() { return done(engine_->discard_dead_letters("dlq", {.all = true})); }
  Result<void> redrive() { return done(engine_->redrive("dlq")); }
  Result<void> park() { return done(engine_->park("dlq")); }
  // Expiry, retention, and what is sent for later.
  Result<void> pass_a_day() { return pass(24h); }
  // The last delivery of each fails.
  Result<void> let_leases_end() {
    for (;;) {
      const auto some = engine_->receive("orders", {.max = limits::kBatchEntries});
      if (!some) return tl::unexpected(some.error());
      if (some->empty()) return pass(10s);
    }
  }

  // --- what becomes of it ---

  void fail_commit(std::uint64_t nth, CommitOutcome outcome) { disk_->fail_commit(nth, outcome); }
  // The change has taken fewer commits than there were to go to the one that fails.
  void use_up_the_failure() {
    while (engine_->send("other", {.body = "x"}, {.durability = Durability::kBuffered})) {
    }
  }
  void crash(Crash how) { CrashableEngine::crash(how); }

  std::map<MessageId, Places> places() {
    std::map<MessageId, Places> found;
    for (const MessageId& id : ids_) found[id];
    for (const char* queue : {"orders", "parked"}) add_live(found, queue);
    add_letters(found);
    std::set<MessageId> archived;  // some of them maybe twice
    for (const DeadLetter& letter : read_archive(archive_)) archived.insert(letter.record.message_id);
    for (const MessageId& id : archived) found[id].insert("archive");
    return found;
  }

  void check_sound() {
    EXPECT_TRUE(must(engine_->verify()).sound());
    std::uint64_t dead = 0;
    for (const auto& [id, places] : places())
      dead += std::ranges::count_if(places, [](const auto& place) { return place.starts_with("dlq"); });
    EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, dead);
  }

 private:
  using Receipts = std::vector<Receipt>;

  template <class T>
  static Result<void> done(const Result<T>& answer) {
    return answer ? Result<void>() : tl::unexpected(answer.error());
  }
  Result<void> pass(Duration time) {
    clock_.advance(time);
    while (engine_->health().writes && engine_->run_due() <= clock_.now()) {
    }
    return engine_->health().writes;
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
  Result<void> (Bulk::*run)();
  Places before;
  Places after;
  // That the engine is done with what it does by itself does not say that it is on disk.
  bool is_call = true;
  Places between = {};  // where it may be, too, if it was cut

  friend void PrintTo(const BulkChange& change, std::ostream* out) { *out << change.name; }
};

// More than one step of each.
const BulkChange kChanges[] = {
    {"Triage", [](Bulk& bulk) { bulk.kill(1'200); }, &Bulk::triage, {"dlq new"}, {"dlq investigating"}},
    {"Discard", [](Bulk& bulk) { bulk.kill(1'200); }, &Bulk::discard, {"dlq new"}, {"history abandoned"}},
    {"Redrive",
     [](Bulk& bulk) { bulk.kill(4'300); },
     &Bulk::redrive,
     {"dlq new"},
     {"history replayed", "orders"}},
    {"Park", [](Bulk& bulk) { bulk.kill(4'300); }, &Bulk::park, {"dlq new"}, {"parked"}},
    {"Retention",
     [](Bulk& bulk) { bulk.abandon(600); },
     &Bulk::pass_a_day,
     {"dlq abandoned"},
     {"archive"},
     false,
     {"archive", "dlq abandoned"}},
    {"Expiry",
     [](Bulk& bulk) { bulk.send(1'100, {.body = "x", .time_to_live = 1h}); },
     &Bulk::pass_a_day,
     {"orders"},
     {"dlq new"},
     false},
    {"Entering",
     [](Bulk& bulk) { bulk.send(2'500, {.body = "x", .delay = 1h}); },
     &Bulk::pass_a_day,
     {"orders later"},
     {"orders"},
     false},
    {"LastLeases", [](Bulk& bulk) { bulk.send(500); }, &Bulk::let_leases_end, {"orders"}, {"dlq new"}, false},
};

struct Cut {
  const char* name;
  CommitOutcome outcome;
  Crash crash;

  friend void PrintTo(const Cut& cut, std::ostream* out) { *out << cut.name; }
};
constexpr Cut kCuts[] = {{"AndDies", CommitOutcome::kFailed, Crash::kProcess},
                         {"MaybeFailsAndDies", CommitOutcome::kUnknown, Crash::kProcess},
                         {"AndLosesPower", CommitOutcome::kFailed, Crash::kMachine}};

class BulkSteps : public ::testing::TestWithParam<std::tuple<BulkChange, Cut>> {};
INSTANTIATE_TEST_SUITE_P(Each, BulkSteps,
                         ::testing::Combine(::testing::ValuesIn(kChanges), ::testing::ValuesIn(kCuts)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + std::get<1>(test.param).name;
                         });

TEST_P(BulkSteps, NothingIsLostOrDoubledBetweenThem) {
  const auto& [change, cut] = GetParam();
  bool cut_within = false;
  for (std::uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE("commit " + std::to_string(nth));
    const TempDir archive;
    Bulk bulk(nth, archive);
    change.prepare(bulk);
    bulk.fail_commit(nth, cut.outcome);
    const bool ended = (bulk.*change.run)().has_value();
    if (ended) bulk.use_up_the_failure();
    bulk.crash(cut.crash);
    std::map<Places, std::size_t> seen;
    for (const auto& [id, places] : bulk.places()) ++seen[places];
    for (const auto& [places, count] : seen) {
      const bool at_the_edge = !change.between.empty() && places == change.between;
      const bool open = (!ended || !change.is_call) && (places == change.before || at_the_edge);
      ASSERT_TRUE(open || places == change.after)
          << count << " messages are in: " << ::testing::PrintToString(places);
    }
    cut_within |= seen.size() > 1;
    bulk.check_sound();
    must((bulk.*change.run)());
    for (const auto& [id, places] : bulk.places()) ASSERT_EQ(places, change.after);
    bulk.check_sound();
    if (ended) break;
  }
  EXPECT_TRUE(cut_within);
}

}  // namespace
}  // namespace holdfast::testing
