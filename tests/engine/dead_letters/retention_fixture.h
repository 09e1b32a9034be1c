// The tests of retention begin with a queue whose abandoned dead letters stay for a day.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/archive.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {

class Retention : public ::testing::Test {
 protected:
  Retention() {
    open(archive_.path());
    must(engine_->create_queue("dlq", {.retention = {.abandoned = std::chrono::hours(24)}}));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }

  void open(const std::filesystem::path& archive) {
    engine_.reset();
    engine_.emplace(
        must(EngineInside::open_over(std::make_unique<DamagedStore>(must(open_memory_store(disk_)), damage_),
                                     {.clock = &clock_, .background = false, .archive_directory = archive})));
    run_due_until_quiet(*engine_, clock_);
  }

  void kill(const std::string& body) {
    must(engine_->send("orders", {.body = body, .attributes = {{"k", std::string("\0\xff", 2)}}}));
    must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.reason = "bad \xff bytes"}));
  }
  void abandon(const std::string& reason = "bad") {
    must(engine_->change_dead_letters("dlq", {.filter = {.reason = reason}},
                                      {.status = DeadLetterStatus::kAbandoned}));
  }
  // Gives up all dead letters that are older than a second, at most `max` in each round.
  void archive_given_up(Duration every, std::uint32_t max) {
    must(engine_->alter_queue(
        "dlq", {.dead_letters = {.auto_redrive = AutoRedrive{.every = every,
                                                             .max = max,
                                                             .backoff = std::chrono::hours(24),
                                                             .give_up_after = std::chrono::seconds(1),
                                                             .on_give_up = OnGiveUp::kArchive}}}));
  }
  void investigate() {
    must(engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kInvestigating}));
  }
  void pass(Duration time) {
    clock_.advance(time);
    run_due_until_quiet(*engine_, clock_);
  }
  std::vector<DeadLetter> all(bool history = true) {
    return must(engine_->list_dead_letters("dlq", {.filter = {.history = history}, .bodies = true})).items;
  }

  std::vector<DeadLetter> archived() {
    for (const auto& entry : std::filesystem::directory_iterator(archive_.path()))
      EXPECT_TRUE(entry.path().filename().string().starts_with("dlq-20")) << entry.path();
    return read_archive(archive_.path());
  }

  ManualClock clock_;
  TempDir archive_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::shared_ptr<DamagedRows> damage_ = std::make_shared<DamagedRows>();
  std::optional<Engine> engine_;
};

}  // namespace holdfast::testing
