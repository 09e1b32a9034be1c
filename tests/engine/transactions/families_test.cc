// The application declares, reads and drops families of its own.
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

class FamiliesTest : public ::testing::TestWithParam<const char*> {
 protected:
  FamiliesTest() { open(); }

  void open() {
    engine_.reset();
    const EngineOptions options{.clock = &clock_, .background = false};
    engine_.emplace(must(GetParam() == std::string_view("memory")
                             ? EngineInside::open_over(must(open_memory_store(disk_)), options)
                             : Engine::open(temp_ / "data", options)));
  }
  void put(const ApplicationFamily& family, std::string key, std::string value) {
    Transaction put;
    put.put(family, std::move(key), std::move(value));
    must(engine_->commit(std::move(put)));
  }
  std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const auto& family : must(engine_->list_families())) result.push_back(family.name);
    return result;
  }

  ManualClock clock_;
  TempDir temp_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(5);
  std::optional<Engine> engine_;
};
INSTANTIATE_TEST_SUITE_P(Stores, FamiliesTest, ::testing::Values("rocksdb", "memory"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(FamiliesTest, AreCreatedWhenOpenedAndKept) {
  EXPECT_THAT(names(), IsEmpty());
  const auto beta = must(engine_->open_family("beta"));
  const auto alpha = must(engine_->open_family("alpha"));
  EXPECT_NE(alpha.id, beta.id);
  EXPECT_EQ(must(engine_->open_family("alpha")), alpha);
  put(alpha, "k", "v");
  open();
  EXPECT_THAT(names(), ElementsAre("alpha", "beta"));
  EXPECT_EQ(must(engine_->open_family("alpha")), alpha);
  EXPECT_THAT(must(engine_->get(alpha, "k")), Optional(std::string("v")));
  EXPECT_EQ(must(engine_->get(beta, "k")), std::nullopt);
}

TEST_P(FamiliesTest, AreScannedInTheOrderOfTheirKeys) {
  const auto family = must(engine_->open_family("f"));
  for (const char* key : {"b", "a", "\xff\xff", "c"}) put(family, key, std::string("of ") + key);
  const auto scan = [&](std::string_view begin, std::string_view end, std::size_t max = 1000) {
    std::vector<std::string> keys;
    for (const auto& row : must(engine_->scan(family, begin, end, max))) {
      EXPECT_EQ(row.value, "of " + row.key);
      keys.push_back(row.key);
    }
    return keys;
  };
  EXPECT_THAT(scan("", ""), ElementsAre("a", "b", "c", "\xff\xff"));
  EXPECT_THAT(scan("b", "c"), ElementsAre("b"));
  EXPECT_THAT(scan("", "", 2), ElementsAre("a", "b"));
  EXPECT_THAT(scan(std::string("b\0", 2), "", 2), ElementsAre("c", "\xff\xff"));
  EXPECT_THAT(scan("c", "b"), IsEmpty());
  EXPECT_THAT(scan("c", std::string(limits::kApplicationKeyBytes + 2, '\xff')), ElementsAre("c", "\xff\xff"));
  EXPECT_EQ(must(engine_->get(family, std::string(limits::kApplicationKeyBytes + 1, '\xff'))), std::nullopt);
  EXPECT_THAT(engine_->scan(family, "", "", 0), RefusesValue("max"));
  EXPECT_THAT(engine_->scan(family, "", "", limits::kScanRows + 1), RefusesValue("max"));
  EXPECT_THAT(engine_->scan(family, "", "", limits::kScanRows), Succeeds());
}

TEST_P(FamiliesTest, AreGoneWhenDropped) {
  const auto dropped = must(engine_->open_family("f"));
  put(dropped, "k", "old");
  EXPECT_THAT(engine_->drop_family("f"), Succeeds());
  EXPECT_THAT(engine_->drop_family("f"), FailsWith(ErrorCode::kFamilyNotFound));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(engine_->get(dropped, "k"), FailsWith(ErrorCode::kFamilyNotFound));
  EXPECT_THAT(engine_->scan(dropped, "", ""), FailsWith(ErrorCode::kFamilyNotFound));
  Transaction late;
  late.put(dropped, "k", "late");
  EXPECT_THAT(engine_->commit(std::move(late)), FailsNaming(ErrorCode::kFamilyNotFound, "entry 0 (put)"));
  for (const auto& expected : {std::optional<std::string>("old"), std::optional<std::string>()}) {
    EXPECT_THAT(engine_->commit(Transaction().expect(dropped, "k", expected)),
                FailsNaming(ErrorCode::kFamilyNotFound, "entry 0 (expect)"));
  }

  const auto again = must(engine_->open_family("f"));
  EXPECT_NE(again.id, dropped.id);
  EXPECT_EQ(must(engine_->get(again, "k")), std::nullopt);
  open();
  EXPECT_EQ(must(engine_->open_family("f")), again);
  EXPECT_THAT(must(engine_->scan(again, "", "")), IsEmpty());
}

TEST_P(FamiliesTest, HaveNamesLikeQueues) {
  EXPECT_THAT(engine_->open_family(""), RefusesValue("family name"));
  EXPECT_THAT(engine_->open_family("a b"), RefusesValue("family name"));
  EXPECT_THAT(engine_->open_family(std::string(limits::kFamilyNameBytes, 'x')), Succeeds());
  EXPECT_THAT(engine_->open_family(std::string(limits::kFamilyNameBytes + 1, 'x')),
              FailsNaming(ErrorCode::kLimitExceeded, "family name"));
}

TEST(Families, AreLimitedInNumber) {
  Engine engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                               {.background = false}));
  for (std::size_t i = 0; i < limits::kApplicationFamilies; ++i) {
    must(engine.open_family("f" + std::to_string(i)));
  }
  EXPECT_THAT(engine.open_family("more"), FailsNaming(ErrorCode::kLimitExceeded, "families"));
  EXPECT_THAT(engine.open_family("f0"), Succeeds());
}

// Creating and dropping a family take two steps each. A crash between the steps leaves a family without a
// row.
TEST(Families, AHalfCreatedOrDroppedOneIsTidiedUp) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  const auto open = [&] {
    return must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
  };
  ApplicationFamily kept;
  {
    Engine engine = open();
    kept = must(engine.open_family("kept"));
    disk->fail_commit(1, CommitOutcome::kFailed);
    EXPECT_THAT(engine.open_family("half"), FailsWith(ErrorCode::kStorageFailed));
  }
  {
    Engine engine = open();
    EXPECT_THAT(must(engine.list_families()), ElementsAre(kept));
    const auto half = must(engine.open_family("half"));
    Transaction put;
    put.put(half, "k", "v");
    must(engine.commit(std::move(put)));
    EXPECT_THAT(must(engine.get(half, "k")), Optional(std::string("v")));
    disk->fail_commit(1, CommitOutcome::kFailed);
    EXPECT_THAT(engine.drop_family("half"), FailsWith(ErrorCode::kStorageFailed));
  }
  Engine engine = open();
  const auto half = must(engine.open_family("half"));
  EXPECT_THAT(must(engine.get(half, "k")), Optional(std::string("v")));
}

}  // namespace
}  // namespace holdfast::testing
