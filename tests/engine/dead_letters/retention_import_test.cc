// What retention has archived comes back by import, and stays for a time again.
#include "tests/engine/dead_letters/retention_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST_F(Retention, AnArchiveComesBackWithTheSameIds) {
  for (int i = 0; i < 3; ++i) kill(std::to_string(i));
  abandon();
  const auto before = all();
  pass(24h);
  auto letters = archived();
  ASSERT_EQ(letters.size(), 3U);
  EXPECT_EQ(must(engine_->import_dead_letters("dlq", letters)), (DeadLettersImported{.imported = 3}));
  EXPECT_EQ(must(engine_->import_dead_letters("dlq", letters)), (DeadLettersImported{.duplicates = 3}));
  const auto after = all();
  ASSERT_EQ(after.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].record, before[i].record);
    EXPECT_EQ(after[i].body, before[i].body);
  }
  EXPECT_EQ(must(engine_->redrive("dlq", {.filter = {.status = DeadLetterStatus::kAbandoned}})).moved, 3U);
  EXPECT_EQ(must(engine_->receive("orders")).at(0).id, before[0].record.message_id);
}

TEST_F(Retention, WhatWasImportedStaysForAsLongAsWhatIsNew) {
  kill("a");
  abandon();
  pass(24h);
  must(engine_->import_dead_letters("dlq", archived()));
  pass(23h);
  EXPECT_EQ(all(false).size(), 1U);
  pass(1h);
  EXPECT_EQ(all(false).size(), 0U);
}

// If the death alone counted, the letter would be archived at once, and every further import would be undone
// in the same way.
TEST_F(Retention, WhatWasImportedUnresolvedIsKeptFromItsImportOn) {
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 24h}}));
  kill("a");
  pass(24h);
  ASSERT_TRUE(all().empty());
  must(engine_->import_dead_letters("dlq", archived()));
  kill("b");
  pass(23h);
  EXPECT_EQ(all(false).size(), 2U);
  open(archive_.path());
  pass(59min);
  EXPECT_EQ(all(false).size(), 2U);
  pass(1min);
  EXPECT_TRUE(all(false).empty());
}

TEST_F(Retention, WhatWasTakenUpIsKeptFromThenOn) {
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 24h}}));
  kill("a");
  pass(23h);
  investigate();
  pass(23h);
  EXPECT_EQ(all(false).size(), 1U);
  pass(1h);
  EXPECT_TRUE(all(false).empty());
  must(engine_->import_dead_letters("dlq", archived()));
  pass(23h);
  EXPECT_EQ(all(false).size(), 1U);
  pass(1h);
  EXPECT_TRUE(all(false).empty());
}

// An import holds nothing up: what died after the imported letters goes when its own time is over.
TEST_F(Retention, WhatWasImportedHoldsUpNothingElse) {
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 24h}}));
  kill("old");
  pass(20h);
  kill("young");
  pass(4h);
  must(engine_->import_dead_letters("dlq", archived()));
  pass(20h);
  ASSERT_EQ(all(false).size(), 1U);
  EXPECT_EQ(all(false).at(0).body, "old");
}

}  // namespace
}  // namespace holdfast::testing
