// SalvageTest has a directory with two queues, to be damaged and salvaged.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {

class SalvageTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMessages = 2000;             // that fill() sends, and one more
  static constexpr std::uint64_t kLeft = kMessages - 100 + 1;  // of these, after what fill() acks

  // Fills two queues. Some of the messages are handed out, dead or done. If `flushed` is true, they are in
  // tables, and not only in the log.
  void fill(bool flushed) {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders",
                             {.durability = Durability::kBuffered, .dead_letters = {.queue = "dlq"}},
                             MissingQueues::kCreate));
    Random random(7);
    for (std::uint64_t i = 0; i < kMessages; i += 100) {
      std::vector<Message> messages;
      for (std::uint64_t j = 0; j < 100; ++j) {
        messages.push_back({.body = std::to_string(i + j) + ":" + random.bytes(1000)});
      }
      for (auto& sent : must(engine.send_batch("orders", std::move(messages)))) must(std::move(sent));
    }
    // The receive takes only a part of the last of its chunks.
    const Deliveries handed = must(engine.receive("orders", {.max = 350}));
    for (std::size_t i = 0; i < 20; ++i) must(engine.reject(handed[i].receipt, {.reason = "bad"}));
    for (std::size_t i = 20; i < 120; ++i) must(engine.ack(handed[i].receipt));
    if (flushed) must(engine.compact());
    must(engine.send("orders", {.body = "last:"}));
    must(engine.close());
  }
  Result<Engine> open(const std::string& name) {
    return Engine::open(temp_ / name, {.clock = &clock_, .background = false, .free_space_reserve = 0});
  }

  std::vector<std::filesystem::path> files(const std::string& extension) {
    std::set<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(temp_ / "data")) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(extension) || name.starts_with(extension)) found.insert(entry.path());
    }
    return {found.begin(), found.end()};
  }
  std::filesystem::path largest(const std::string& extension) {
    const auto found = files(extension);
    return *std::ranges::max_element(
        found, {}, [](const std::filesystem::path& path) { return std::filesystem::file_size(path); });
  }
  // Makes tables of the logs, and puts the logs back beside the tables.
  void put_logs_back() {
    std::filesystem::remove_all(temp_ / "aside");
    std::filesystem::create_directory(temp_ / "aside");
    for (const std::filesystem::path& log : files(".log")) std::filesystem::copy(log, temp_ / "aside");
    must(must(open("data")).close());
    for (const auto& log : std::filesystem::directory_iterator(temp_ / "aside")) {
      std::filesystem::copy(log, temp_ / "data", std::filesystem::copy_options::overwrite_existing);
    }
  }
  static void flip(const std::filesystem::path& path, std::uintmax_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 0x55));
  }

  // Changes the rows of the closed directory.
  void change(const std::function<void(Store&, Batch&)>& make_changes) {
    const auto store = must(open_rocksdb_store(temp_ / "data"));
    const auto batch = store->new_batch();
    make_changes(*store, *batch);
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    must(store->close());
  }

  // Salvages, and checks that the result is sound and that each body is whole.
  SalvageReport salvage() {
    const std::string to = "salvaged" + std::to_string(++salvaged_);
    SalvageReport report = must(Engine::salvage(temp_ / "data", temp_ / to));
    const VerifyReport verified = must(Engine::verify(temp_ / to));
    EXPECT_EQ(verified.found, 0U) << verified.findings.front().where << " " << verified.findings.front().what;
    Engine engine = must(open(to));
    std::uint64_t count = 0;
    for (const QueueInfo& queue : must(engine.list_queues())) {
      clock_.advance(std::chrono::hours(24));
      run_due_until_quiet(engine, clock_);
      for (;;) {
        const Deliveries some =
            must(engine.receive(queue.name, {.max = 1000, .lease = std::chrono::hours(12)}));
        if (some.empty()) break;
        count += some.size();
        for (const Delivery& delivery : some) {
          EXPECT_THAT(delivery.body.size(), ::testing::AnyOf(5U, ::testing::Ge(1002U)));
        }
      }
    }
    EXPECT_EQ(count, report.messages);
    return report;
  }

  TempDir temp_;
  ManualClock clock_;
  int salvaged_ = 0;
};

}  // namespace holdfast::testing
