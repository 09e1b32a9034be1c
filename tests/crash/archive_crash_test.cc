// Kills a process in the middle of archiving dead letters, again and again, until all are archived. After
// each kill, each dead letter is in its queue or in the archive. HOLDFAST_CRASH_ARCHIVE sets how many there
// are, and HOLDFAST_CRASH_SEED where the seeds begin.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <stdexcept>

#include "holdfast/engine.h"
#include "tests/crash/child_process.h"
#include "tests/support/archive.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using Ids = std::set<MessageId>;

class ArchiveCrashTest : public ::testing::TestWithParam<const char*> {
 protected:
  // Runs a child and kills it after so many lines. Returns whether the child reached its end before it was
  // killed.
  bool run_and_kill(std::uint64_t round, std::uint64_t lines) {
    ChildProcess child({HOLDFAST_ARCHIVE_CHILD, directory_.path().string(), std::to_string(letters_),
                        std::to_string(round), GetParam()});
    bool done = false;
    while (const auto line = child.read_line()) {
      if (*line == "done") done = true;
      if (line->starts_with("died")) died_ = true;
      if (--lines == 0) child.kill();
    }
    const bool killed = child.was_killed();
    if (!done && !killed) throw std::runtime_error("the child failed");
    return done;
  }

  Ids in_queue() const {
    const ManualClock clock(kTestEpoch);
    Engine engine = must(
        Engine::open(directory_ / "data", {.clock = &clock, .background = false, .archive_directory = {}}));
    Ids ids;
    ListDeadLettersOptions options{.max = 1000};
    do {
      const DeadLetterPage page = must(engine.list_dead_letters("dlq", options));
      for (const DeadLetter& letter : page.items) ids.insert(letter.record.message_id);
      options.after = page.next;
    } while (options.after);
    return ids;
  }

  // A torn frame, or a part of a file, counts for nothing.
  Ids in_archive() const {
    const auto place =
        std::string(GetParam()) == "sink" ? directory_ / "sink" : directory_ / "data" / "archive";
    Ids ids;
    if (!std::filesystem::exists(place)) return ids;
    for (const auto& entry : std::filesystem::directory_iterator(place))
      if (entry.path().extension() == ".part") std::filesystem::remove(entry.path());
    for (const DeadLetter& letter : read_archive(place)) ids.insert(letter.record.message_id);
    return ids;
  }

  const std::uint64_t letters_ = environment_count("HOLDFAST_CRASH_ARCHIVE", 3'000);
  const std::uint64_t seed_ = environment_number("HOLDFAST_CRASH_SEED", 1);
  const ::testing::ScopedTrace trace_{__FILE__, __LINE__, "HOLDFAST_CRASH_SEED=" + std::to_string(seed_)};
  const TempDir directory_;
  bool died_ = false;
};

TEST_P(ArchiveCrashTest, EachLetterIsInTheQueueOrInTheArchive) {
  Random random(seed_);
  Ids all;
  for (std::uint64_t round = 1;; ++round) {
    const bool done = run_and_kill(round, random.between(1, 9));
    Ids here = in_queue();
    here.merge(in_archive());
    if (died_ && all.empty()) all = here;
    EXPECT_EQ(here, all) << "round " << round;
    if (!done) continue;
    std::cout << "seed " << seed_ << ": done after " << round - 1 << " kills" << std::endl;
    break;
  }
  EXPECT_EQ(all.size(), letters_);
  EXPECT_EQ(in_archive(), all);
  EXPECT_TRUE(in_queue().empty());
}

INSTANTIATE_TEST_SUITE_P(Places, ArchiveCrashTest, ::testing::Values("files", "sink"));

}  // namespace
}  // namespace holdfast::testing
