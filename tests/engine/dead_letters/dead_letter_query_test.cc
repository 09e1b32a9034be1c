// Filters and groups over so many dead letters that the index answers in place of the records. The answers
// are those that a look at every record gives.
#include <map>
#include <set>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLetters = 10'000;  // more than a grouping reads before it asks the index
constexpr std::size_t kBatch = 100;

class DeadLetterQuery : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  DeadLetterQuery() {
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (std::size_t sent = 0; sent < kLetters; sent += kBatch) dead_letter_batch();
    remove_some();
    std::optional<DeadLetterCursor> after;
    do {
      auto page = must(engine_.list_dead_letters("dlq", {.after = after, .max = 1000}));
      std::ranges::move(page.items, std::back_inserter(letters_));
      after = page.next;
    } while (after);
  }

  void dead_letter_batch() {
    clock_.advance(1s);
    must_all(must(engine_.send_batch("orders", std::vector<Message>(kBatch))));
    const Consumer consumer{.instance = "w", .version = std::to_string(random_.below(3))};
    auto deliveries = must(engine_.receive("orders", {.max = kBatch, .consumer = consumer}));
    for (std::size_t from = 0; from < kBatch;) {
      const std::size_t count = std::min<std::size_t>(random_.between(1, 60), kBatch - from);
      std::vector<Receipt> receipts;
      for (std::size_t i = from; i < from + count; ++i) receipts.push_back(deliveries[i].receipt);
      must_all(must(engine_.reject_batch(receipts, {.category = std::to_string(random_.below(4)),
                                                    .reason = random_reason(),
                                                    .code = std::to_string(random_.below(40))})));
      from += count;
    }
  }

  // Discards a letter here and there, so that not all records that died one after another lie beside each
  // other.
  void remove_some() {
    DeadLetterSelection selection;
    for (int i = 0; i < 500; ++i) selection.filter.seqs.push_back(Seq{random_.below(kLetters)});
    must(engine_.discard_dead_letters("dlq", selection));
  }

  // Returns a reason of one of several kinds. Numbers and quotes differ within a kind.
  std::string random_reason() {
    const std::string number = std::to_string(random_.below(300));
    if (random_.one_in(4)) return "item " + number + " is 'lost " + std::string(1, letter()) + "'";
    return "Failed in step " + std::string(1, letter()) + " after " + number + " s";
  }

  std::string random_part() {
    const std::string number = std::to_string(random_.below(300));
    switch (random_.below(6)) {
      case 0:
        return "STEP " + std::string(1, letter());
      case 1:
        return "lost " + std::string(1, letter());
      case 2:
        return "ITEM " + number;
      case 3:
        return std::string(1, letter()) + " AFTER " + number;
      case 4:
        return "no such text";
      default:
        return number;
    }
  }

  char letter() { return static_cast<char>('a' + random_.below(5)); }

  template <class Results>
  static void must_all(const Results& results) {
    for (const auto& result : results) must(result);
  }

  DeadLetterFilter random_filter() {
    DeadLetterFilter filter;
    if (random_.one_in(2)) filter.category = std::to_string(random_.below(4));
    if (random_.one_in(2)) filter.code = std::to_string(random_.below(40));
    if (random_.one_in(2)) filter.consumer_version = std::to_string(random_.below(3));
    if (random_.one_in(4)) filter.fingerprint = random_.pick(letters_).record.fingerprint;
    if (random_.one_in(3)) filter.died_from = random_.pick(letters_).record.died_at;
    if (random_.one_in(3)) filter.died_before = random_.pick(letters_).record.died_at;
    if (random_.one_in(3)) filter.reason = random_part();
    return filter;
  }

  static std::string in_lower_case(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }

  static bool means(const DeadLetterFilter& filter, const DeadLetter& letter) {
    const FailureRecord& record = letter.record;
    return (!filter.category || *filter.category == record.category) &&
           (!filter.code || *filter.code == record.code) &&
           (!filter.consumer_version || *filter.consumer_version == record.consumer.version) &&
           (!filter.fingerprint || *filter.fingerprint == record.fingerprint) &&
           (!filter.died_from || record.died_at >= *filter.died_from) &&
           (!filter.died_before || record.died_at < *filter.died_before) &&
           in_lower_case(record.reason).find(in_lower_case(filter.reason)) != std::string::npos;
  }

  std::vector<MessageId> expected(const DeadLetterFilter& filter) const {
    std::vector<MessageId> ids;
    for (const DeadLetter& letter : letters_) {
      if (means(filter, letter)) ids.push_back(letter.id);
    }
    return ids;
  }

  std::vector<MessageId> listed(const DeadLetterFilter& filter, bool newest_first) {
    std::vector<MessageId> ids;
    ListDeadLettersOptions options{
        .filter = filter, .max = random_.between(1, 1000), .newest_first = newest_first};
    do {
      const auto page = must(engine_.list_dead_letters("dlq", options));
      for (const DeadLetter& letter : page.items) ids.push_back(letter.id);
      options.after = page.next;
    } while (options.after);
    return ids;
  }

  Random random_{GetParam()};
  ManualClock clock_;
  Engine engine_ =
      must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(GetParam()))),
                                   {.clock = &clock_, .background = false}));
  std::vector<DeadLetter> letters_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, DeadLetterQuery, ::testing::Range<std::uint64_t>(1, 3));

TEST_P(DeadLetterQuery, ListsWhatTheRecordsSay) {
  ASSERT_GT(letters_.size(), kLetters * 9 / 10);
  ASSERT_LT(letters_.size(), kLetters);
  for (int round = 0; round < 25; ++round) {
    const DeadLetterFilter filter = random_filter();
    auto ids = expected(filter);
    EXPECT_EQ(listed(filter, false), ids) << "round " << round;
    std::ranges::reverse(ids);
    EXPECT_EQ(listed(filter, true), ids) << "round " << round;
  }
}

TEST_P(DeadLetterQuery, GroupsWhatTheRecordsSay) {
  for (int round = 0; round < 40; ++round) {
    DeadLetterFilter filter = random_filter();
    if (random_.one_in(3)) filter.code.reset();  // so that more than a few letters are left
    std::map<std::string, std::uint64_t> counts;
    std::map<std::string, MessageId> newest;
    for (const DeadLetter& letter : letters_) {
      if (!means(filter, letter)) continue;
      ++counts[letter.record.code];
      newest[letter.record.code] = letter.id;
    }
    const auto groups = must(
        engine_.group_dead_letters("dlq", {.by = DeadLetterGrouping::kCode, .filter = filter, .max = 1000}));
    EXPECT_TRUE(groups.complete);
    EXPECT_EQ(groups.groups.size(), counts.size()) << "round " << round;
    for (const DeadLetterGroup& group : groups.groups) {
      EXPECT_EQ(group.count, counts[group.value]) << "round " << round << ", code " << group.value;
      EXPECT_EQ(group.sample.id, newest[group.value]) << "round " << round << ", code " << group.value;
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
