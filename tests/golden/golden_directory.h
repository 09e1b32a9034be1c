// GoldenDirectory is a copy of a directory that an earlier version wrote, or another version of RocksDB,
// opened with what is here.
#pragma once

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "tests/golden/manifest.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::golden {

class GoldenDirectory : public ::testing::Test {
 protected:
  // `variable` is an environment variable. It can name another directory with the same contents as the
  // archived one.
  GoldenDirectory(const char* variable, const char* archived, Timestamp written_at) : clock_(written_at) {
    const char* named = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): no other thread is there
    std::filesystem::copy(named != nullptr ? named : archived, copy_.path(),
                          std::filesystem::copy_options::recursive);
    manifest_ = Manifest::read(copy_ / "manifest");
  }

  // Checks that the directory is sound after what the test has changed, and unchanged after it is opened
  // again.
  void TearDown() override {
    if (!engine_) return;
    const auto left = all_counts();
    EXPECT_TRUE(testing::must(engine_->verify()).sound());
    testing::must(engine_->close());
    engine_.reset();
    open_engine();
    EXPECT_EQ(all_counts(), left);
    EXPECT_TRUE(testing::must(engine_->verify()).sound());
  }

  Result<Engine> open() {
    return Engine::open(copy_ / "data", {.create_if_missing = false, .clock = &clock_, .background = false});
  }
  void open_engine() { engine_.emplace(testing::must(open())); }

  QueueCounts counts(const std::string& queue) {
    return testing::must(engine_->describe_queue(queue)).counts;
  }
  Deliveries receive(const std::string& queue) {
    return testing::must(engine_->receive(queue, {.max = 100}));
  }
  std::vector<std::string> bodies(const std::string& queue) {
    std::vector<std::string> bodies;
    for (const Delivery& delivery : receive(queue)) bodies.emplace_back(delivery.body);
    return bodies;
  }
  Receipt receipt(const std::string& name) {
    return testing::must(Receipt::parse(manifest_.at("receipt-" + name)));
  }
  MessageId id(const std::string& body) {
    return testing::must(MessageId::parse(manifest_.at("id-" + body)));
  }

  DeadLetter dead_letter(const std::string& queue, const std::string& body, bool history = false) {
    const auto page = testing::must(
        engine_->list_dead_letters(queue, {.filter = {.ids = {id(body)}, .history = true}, .bodies = true}));
    for (const DeadLetter& letter : page.items) {
      if (letter.history == history) return letter;
    }
    throw std::runtime_error("no dead letter of " + body + " in " + queue);
  }

  testing::TempDir copy_;
  testing::ManualClock clock_;
  Manifest manifest_;
  std::optional<Engine> engine_;

 private:
  std::map<std::string, QueueCounts> all_counts() {
    std::map<std::string, QueueCounts> counts;
    for (const QueueInfo& info : testing::must(engine_->list_queues())) counts[info.name] = info.counts;
    return counts;
  }
};

}  // namespace holdfast::golden
