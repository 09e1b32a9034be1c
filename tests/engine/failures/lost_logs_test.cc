// Each write-ahead log of a directory loses its beginning, its end or all of it. Nothing that was answered as
// fsynced is missing in silence, and salvage brings back what is left.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/storage/durability/rocksdb_log.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

using Bodies = std::set<std::string>;

constexpr std::size_t kBatch = 8;
constexpr std::size_t kBody = 2100;  // a batch spans pages of the log, and some batches span a block

struct Loss {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  enum class How : std::uint8_t { kZeroed, kCut, kDeleted } how = How::kZeroed;
};

// Returns what may become of a log of this size.
std::vector<Loss> losses_of(std::uint64_t size) {
  std::vector<Loss> losses = {
      {"deleted", 0, size, Loss::How::kDeleted}, {"emptied", 0, size, Loss::How::kCut}, {"zeroed", 0, size}};
  for (const std::uint64_t bytes :
       {std::uint64_t{7}, std::uint64_t{512}, std::uint64_t{4096}, kLogBlock + 0UL}) {
    if (bytes < size) losses.push_back({"without its first " + std::to_string(bytes), 0, bytes});
  }
  for (std::uint64_t at = kLogBlock; at < size; at += kLogBlock) {
    losses.push_back({"cut to " + std::to_string(at), at, size, Loss::How::kCut});
    losses.push_back({"zeroed from " + std::to_string(at), at, size});
  }
  losses.push_back({"without its last byte", size - 1, size, Loss::How::kCut});
  return losses;
}

// A compressed block has most of a random body as it is, but not all of it.
bool has_body(std::string_view bytes, std::string_view body) {
  constexpr std::size_t kProbe = 24;
  for (std::size_t at = 8; at + kProbe < body.size(); at += 900) {
    if (bytes.find(body.substr(at, kProbe)) != std::string_view::npos) return true;
  }
  return false;
}

class LostLogs : public ::testing::Test {
 protected:
  Result<Engine> open(const std::string& name) {
    return Engine::open(temp_ / name, {.clock = &clock_, .background = false, .free_space_reserve = 0});
  }

  // Messages for "later" wait in a family of their own, whose logs are kept when those for "orders" are
  // flushed.
  void send(Engine& engine, const std::string& queue) {
    std::vector<Message> messages;
    for (std::size_t i = 0; i < kBatch; ++i) {
      Message message{.body = std::to_string(sent_++) + ":" + random_.bytes(kBody)};
      if (queue == "later") message.delay = 1h;
      kept_.insert(message.body);
      messages.push_back(std::move(message));
    }
    for (auto& sent : must(engine.send_batch(queue, std::move(messages)))) must(std::move(sent));
  }
  void ack_some(Engine& engine) {
    for (const Delivery& delivery : must(engine.receive("orders", {.max = 3}))) {
      must(engine.ack(delivery.receipt));
      kept_.erase(std::string(delivery.body));
    }
  }
  // Opens an engine whose queues are in tables, so that a log can only lose messages.
  Engine begin() {
    {
      Engine engine = must(open("live"));
      must(engine.create_queue("orders"));
      must(engine.create_queue("later"));
      must(engine.close());
    }
    return must(open("live"));
  }
  void send_to_both(Engine& engine) {
    send(engine, "later");
    send(engine, "orders");
    ack_some(engine);
    send(engine, "later");
  }
  // Copies the directory as a kill leaves it: everything that was written is there.
  void kill() { copy("live", "base"); }
  void copy(const std::string& from, const std::string& to) {
    fs::remove_all(temp_ / to);
    fs::copy(temp_ / from, temp_ / to);
    fs::remove(temp_ / to / "LOCK");
  }

  void lose(const fs::path& log, const Loss& loss) {
    const fs::path file = temp_ / "damaged" / log.filename();
    switch (loss.how) {
      case Loss::How::kDeleted:
        fs::remove(file);
        break;
      case Loss::How::kCut:
        fs::resize_file(file, loss.begin);
        break;
      case Loss::How::kZeroed:
        std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
        out.seekp(static_cast<std::streamoff>(loss.begin));
        const std::string zeros(loss.end - loss.begin, '\0');
        out.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
        break;
    }
  }

  Bodies served_by(Engine& engine) {
    Bodies bodies;
    clock_.advance(24h);
    run_due_until_quiet(engine, clock_);
    for (const QueueInfo& queue : must(engine.list_queues())) {
      for (;;) {
        const Deliveries some = must(engine.receive(queue.name, {.max = 1000, .lease = 12h}));
        if (some.empty()) break;
        for (const Delivery& delivery : some) bodies.emplace(delivery.body);
      }
    }
    return bodies;
  }

  // Returns the bodies that were sent and not acked, and that are in tables or in whole commits of the logs.
  Bodies readable(const std::string& name) {
    Bodies bodies;
    for (const auto& entry : fs::directory_iterator(temp_ / name)) {
      const fs::path extension = entry.path().extension();
      if (extension != ".sst" && extension != ".log") continue;
      const std::string bytes = read_bytes(entry.path());
      const auto take = [&](std::string_view part) {
        for (const std::string& body : kept_) {
          if (has_body(part, body)) bodies.insert(body);
        }
      };
      if (extension == ".sst") take(bytes);
      if (extension == ".log") read_log(bytes, [&](const LoggedCommit& commit) { take(commit.batch); });
    }
    return bodies;
  }

  void expect_nothing_is_lost_in_silence(const fs::path& log, const Loss& loss) {
    copy("base", "damaged");
    lose(log, loss);
    auto opened = open("damaged");
    if (opened) {
      EXPECT_EQ(served_by(*opened).size(), kept_.size()) << "lost without a word";
      ++harmless_;
      return;
    }
    ++refused_;
    EXPECT_EQ(opened.error().code, ErrorCode::kCorruption);
    EXPECT_THAT(to_string(opened.error()), HasSubstr("holdfast salvage"));
    const auto verified = Engine::verify(temp_ / "damaged");
    EXPECT_TRUE(!verified || !verified->sound());
    fs::remove_all(temp_ / "salvaged");
    const SalvageReport report = must(Engine::salvage(temp_ / "damaged", temp_ / "salvaged"));
    Engine salvaged = must(open("salvaged"));
    const Bodies there = served_by(salvaged);
    EXPECT_TRUE(std::ranges::includes(there, readable("damaged"))) << "salvage lost what can be read";
    EXPECT_TRUE(std::ranges::includes(there, kept_) || report.found > 0) << "salvage lost without a word";
  }

  // At least `logs` of the logs must have something.
  void lose_each(std::size_t logs) {
    const std::vector<fs::path> all = logs_in(temp_ / "base");
    std::size_t written = 0;
    for (const fs::path& log : all) {
      const std::uint64_t size = fs::file_size(log);
      written += size > 0 ? 1 : 0;
      for (const Loss& loss : losses_of(size)) {
        if (size == 0) continue;
        SCOPED_TRACE(log.filename().string() + " of " + std::to_string(all.size()) + " logs, with " +
                     std::to_string(size) + " bytes, " + loss.name);
        expect_nothing_is_lost_in_silence(log, loss);
      }
    }
    EXPECT_GE(written, logs);
    EXPECT_GT(refused_, 0);
  }

  TempDir temp_;
  ManualClock clock_;
  Random random_{17};
  Bodies kept_;  // the bodies that were sent and not acked
  int sent_ = 0;
  int refused_ = 0;
  int harmless_ = 0;
};

TEST_F(LostLogs, OneLog) {
  Engine engine = begin();
  send_to_both(engine);
  kill();
  lose_each(1);
}

TEST_F(LostLogs, OneLogAfterClose) {
  Engine engine = begin();
  send_to_both(engine);
  must(engine.close());
  kill();
  lose_each(1);
}

TEST_F(LostLogs, SeveralLogs) {
  Engine engine = begin();
  for (int i = 0; i < 2; ++i) {
    send_to_both(engine);
    must(engine.compact("orders"));
  }
  send_to_both(engine);
  kill();
  lose_each(3);
}

// After such a change, the manifest knows the number of the last write.
TEST_F(LostLogs, SeveralLogsAfterAChangeOfTheManifest) {
  Engine engine = begin();
  send_to_both(engine);
  must(engine.compact("orders"));
  send(engine, "later");
  must(engine.compact("orders"));
  kill();
  lose_each(2);
}

TEST_F(LostLogs, SeveralLogsAfterClose) {
  Engine engine = begin();
  send_to_both(engine);
  must(engine.compact("orders"));
  send_to_both(engine);
  must(engine.close());
  kill();
  lose_each(2);
}

// What the earlier logs hold is in tables. Those logs are gone, or are not needed any more.
TEST_F(LostLogs, AfterAllIsFlushed) {
  Engine engine = begin();
  send_to_both(engine);
  must(engine.compact());
  send_to_both(engine);
  kill();
  lose_each(1);
}

}  // namespace
}  // namespace holdfast::testing
