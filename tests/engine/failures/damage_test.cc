// Damages every kind of file of a data directory in every way. The tests see what the engine then says and
// serves, and what salvage brings back. tools/file-faults --damages runs the long form.
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>

#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/last_words.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::uint64_t kBatches = 60;
constexpr std::uint64_t kBatch = 10;
constexpr std::size_t kBody = 900;
// A row holds the messages of a batch. A block holds a row, or up to 4 KiB and a row. A commit in a log also
// holds that much, beside what else it writes.
constexpr std::uint64_t kReach = kBatch * kBody + (8 << 10);

enum class Way : std::uint8_t { kFlipped, kZeroed, kCut, kEmptied, kDeleted };
constexpr Way kWays[] = {Way::kFlipped, Way::kZeroed, Way::kCut, Way::kEmptied, Way::kDeleted};

std::string to_string(Way way) {
  switch (way) {
    case Way::kFlipped:
      return "a bit flipped";
    case Way::kZeroed:
      return "zeroed";
    case Way::kCut:
      return "cut";
    case Way::kEmptied:
      return "emptied";
    case Way::kDeleted:
      return "deleted";
  }
  return {};
}

// A part of a file that may be damaged.
struct FilePart {
  std::string kind;  // for example "data block"
  fs::path file;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

using Bodies = std::set<std::string>;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the parts of a table, which lie in this order.
std::vector<FilePart> parts_of_table(const fs::path& table) {
  constexpr std::uint64_t kFooter = 53;
  rocksdb::SstFileReader reader{rocksdb::Options()};
  if (const auto status = reader.Open(table.string()); !status.ok())
    throw std::runtime_error(status.ToString());
  const auto properties = reader.GetTableProperties();
  const std::uint64_t size = fs::file_size(table);
  const std::uint64_t filter = properties->data_size;
  const std::uint64_t index = filter + properties->filter_size;
  const std::uint64_t rest = index + properties->index_size;
  std::vector<FilePart> parts = {{"data block", table, 0, filter},
                                 {"index block", table, index, rest},
                                 {"properties", table, rest, size - kFooter},
                                 {"footer", table, size - kFooter, size}};
  if (index > filter) parts.push_back({"filter", table, filter, index});
  return parts;
}

class Damage : public ::testing::Test {
 protected:
  // Makes messages that are ready, leased, delayed, dead and done, in tables and logs, and leaves the
  // directory as an engine that was killed or closed would. Everything is fsynced.
  void fill(Random& random) {
    fs::remove_all(temp_ / "base");
    all_.clear();
    clock_.set(start_);
    Engine engine = must(open("live"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    must(engine.create_queue("later"));
    const std::uint64_t compacted = random.below(kBatches);
    const std::uint64_t reopened = random.below(kBatches);
    for (std::uint64_t i = 0; i < kBatches; ++i) {
      if (i == compacted) must(engine.compact());
      if (i == reopened && random.one_in(2)) {
        must(engine.close());
        engine = must(open("live"));
      }
      send(engine, random);
      if (random.one_in(4)) settle(engine);
    }
    if (random.one_in(3)) must(engine.compact());
    const bool killed = random.one_in(2);
    if (killed) copy("live", "base");
    must(engine.close());
    if (!killed) copy("live", "base");
    fs::remove_all(temp_ / "live");
  }
  void send(Engine& engine, Random& random) {
    const bool later = random.one_in(4);
    std::vector<Message> messages;
    for (std::uint64_t j = 0; j < kBatch; ++j) {
      Message message{.body = std::to_string(all_.size()) + ":" + random.bytes(kBody)};
      if (later) message.delay = 1h;
      all_.insert(message.body);
      messages.push_back(std::move(message));
    }
    for (auto& sent : must(engine.send_batch(later ? "later" : "orders", std::move(messages))))
      must(std::move(sent));
  }
  void settle(Engine& engine) {
    const Deliveries handed = must(engine.receive("orders", {.max = 7}));
    if (handed.empty()) return;
    must(engine.reject(handed.front().receipt, {.reason = "bad"}));
    if (handed.size() == 1) return;
    must(engine.ack(handed.back().receipt));
    all_.erase(std::string(handed.back().body));
  }

  Result<Engine> open(const std::string& name) {
    return Engine::open(temp_ / name, {.clock = &clock_, .background = false, .free_space_reserve = 0});
  }
  void copy(const std::string& from, const std::string& to) {
    fs::remove_all(temp_ / to);
    fs::copy(temp_ / from, temp_ / to);
    fs::remove(temp_ / to / "LOCK");
  }

  // Returns a part of one file of each kind, and in one block of each kind that tables have.
  std::vector<FilePart> parts(Random& random) {
    std::map<std::string, std::vector<FilePart>> found;
    for (const auto& entry : fs::directory_iterator(temp_ / "base")) {
      const std::string name = entry.path().filename().string();
      const std::uint64_t size = entry.file_size();
      if (size == 0) continue;
      const auto add = [&](const std::string& kind) { found[kind].push_back({kind, entry.path(), 0, size}); };
      if (name.ends_with(".sst")) {
        for (FilePart& part : parts_of_table(entry.path())) found[part.kind].push_back(std::move(part));
      } else if (name.ends_with(".log")) {
        add("log");
      } else if (name.ends_with(".mark")) {
        add("mark");
      } else if (name.starts_with("MANIFEST")) {
        add("manifest");
      } else if (name.starts_with("OPTIONS")) {
        add("OPTIONS");
      } else if (name == "CURRENT" || name == "IDENTITY") {
        add(name);
      }
    }
    std::vector<FilePart> result;
    for (auto& [kind, some] : found) {
      const auto largest =
          std::ranges::max_element(some, {}, [](const FilePart& part) { return part.end - part.begin; });
      result.push_back(random.one_in(2) ? *largest : random.pick(some));
    }
    return result;
  }

  // Damages the copy "damaged". Returns which part of the file was hit.
  FilePart damage(const FilePart& part, Way way, Random& random) {
    FilePart hit = part;
    const fs::path file = temp_ / "damaged" / part.file.filename();
    const std::uint64_t size = fs::file_size(file);
    hit.begin = random.between(part.begin, part.end - 1);
    switch (way) {
      case Way::kFlipped:
        overwrite(file, hit.begin,
                  std::string(1, static_cast<char>(content_of(file)[hit.begin] ^ (1 << random.below(8)))));
        hit.end = hit.begin + 1;
        break;
      case Way::kZeroed: {
        const std::uint64_t block = 1 << random.between(4, 12);
        hit.begin = hit.begin / block * block;
        hit.end = std::min(hit.begin + block, size);
        overwrite(file, hit.begin, std::string(hit.end - hit.begin, '\0'));
        break;
      }
      case Way::kCut:
        fs::resize_file(file, hit.begin);
        hit.end = size;
        break;
      case Way::kEmptied:
      case Way::kDeleted:
        way == Way::kEmptied ? fs::resize_file(file, 0) : static_cast<void>(fs::remove(file));
        hit.begin = 0;
        hit.end = size;
        break;
    }
    return hit;
  }
  static void overwrite(const fs::path& file, std::uint64_t at, const std::string& bytes) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  // Returns the bodies of `some` that have bytes near what was hit, in the file as it was before.
  static Bodies hit_by(const FilePart& hit, const Bodies& some) {
    Bodies bodies;
    const std::string content = content_of(hit.file);
    const std::uint64_t begin = hit.begin < kReach ? 0 : hit.begin - kReach;
    const std::string_view near = std::string_view(content).substr(begin, hit.end + kReach - begin);
    for (const std::string& body : some) {
      // A compressed block has most of a random body as it is, but not all of it.
      constexpr std::size_t kProbe = 24;
      for (std::size_t at = 8; at + kProbe < body.size(); at += 100) {
        if (near.find(std::string_view(body).substr(at, kProbe)) == std::string_view::npos) continue;
        bodies.insert(body);
        break;
      }
    }
    return bodies;
  }

  // Returns what an engine hands out. The engine passes over what it cannot read, and is asked again a while
  // later.
  Bodies served_by(Engine& engine) {
    Bodies bodies;
    for (int round = 0; round < 3; ++round) {
      clock_.advance(24h);
      run_due_until_quiet(engine, clock_);
      const auto queues = engine.list_queues();
      if (!queues) return bodies;
      for (const QueueInfo& queue : *queues) {
        for (;;) {
          const auto some = engine.receive(queue.name, {.max = 1000, .lease = 12h});
          if (!some || some->empty()) break;
          for (const Delivery& delivery : *some) bodies.emplace(delivery.body);
        }
      }
    }
    return bodies;
  }
  std::optional<Bodies> served(const std::string& name, std::string& refusal) {
    auto engine = open(name);
    if (engine) return served_by(*engine);
    refusal = holdfast::to_string(engine.error());
    EXPECT_THAT(refusal, HasSubstr("holdfast salvage"));
    return std::nullopt;
  }

  static bool has_all(const Bodies& bodies, const Bodies& of) { return std::ranges::includes(bodies, of); }
  Bodies lost_of(const Bodies& bodies) const {
    Bodies lost;
    std::ranges::set_difference(all_, bodies, std::inserter(lost, lost.end()));
    return lost;
  }

  struct Row {
    std::uint64_t damages = 0, opened = 0, served = 0, salvaged = 0, of = 0, worst = UINT64_MAX;
  };

  void run(const FilePart& part, Way way, Random& random) {
    copy("base", "damaged");
    const FilePart hit = damage(part, way, random);
    SCOPED_TRACE(part.kind + " of " + hit.file.filename().string() + " " + to_string(way) + ", bytes " +
                 std::to_string(hit.begin) + " to " + std::to_string(hit.end));
    const LastWords words(part.kind + " " + to_string(way));
    fs::remove_all(temp_ / "salvaged");
    const auto report = Engine::salvage(temp_ / "damaged", temp_ / "salvaged");
    ASSERT_THAT(report, Succeeds());
    ASSERT_THAT(must(Engine::verify(temp_ / "salvaged")).findings, ::testing::IsEmpty());
    std::string refusal;
    const Bodies salvaged = *served("salvaged", refusal);
    const auto verified = Engine::verify(temp_ / "damaged");
    const auto served = this->served("damaged", refusal);

    const Bodies lost = lost_of(salvaged);
    if (served) {
      EXPECT_TRUE(has_all(salvaged, *served))
          << "salvage brought back " << salvaged.size() << ", the engine serves " << served->size();
    }
    const bool is_mark = part.kind == "mark";
    const Bodies hit_bodies = is_mark ? Bodies() : hit_by(hit, lost);
    EXPECT_EQ(hit_bodies.size(), lost.size()) << "salvage lost what the damage did not hit";
    EXPECT_TRUE(lost.empty() || report->found > 0) << lost.size() << " lost without a word";
    if (served && !lost_of(*served).empty()) {
      EXPECT_TRUE(!verified || !verified->sound())
          << "the engine lost " << lost_of(*served).size() << " without a word";
      EXPECT_THAT(part.file.filename().string(), HasSubstr(".sst"))
          << "a directory opened without what was fsynced";
    }
    Row& row = table_[part.kind + ", " + to_string(way)];
    ++row.damages;
    row.opened += served ? 1 : 0;
    row.served += served ? all_.size() - lost_of(*served).size() : 0;
    row.salvaged += all_.size() - lost.size();
    row.of += all_.size();
    row.worst = std::min<std::uint64_t>(row.worst, all_.size() - lost.size());
  }

  void print() const {
    std::cout << "damage                          tried opened  served salvaged  worst of messages\n";
    for (const auto& [name, row] : table_) {
      std::cout << std::left << std::setw(32) << name << std::right << std::setw(5) << row.damages
                << std::setw(7) << row.opened << std::setw(8) << row.served << std::setw(9) << row.salvaged
                << std::setw(7) << row.worst << std::setw(12) << row.of << "\n";
    }
  }

  TempDir temp_;
  ManualClock clock_;
  const Timestamp start_ = clock_.now();
  Bodies all_;  // the bodies that were sent and are not done
  std::map<std::string, Row> table_;
};

TEST_F(Damage, SalvageBringsBackAllThatIsNotHit) {
  const std::uint64_t first = environment_number("HOLDFAST_DAMAGE_FIRST_SEED", 1);
  const std::uint64_t rounds = environment_count("HOLDFAST_DAMAGE_ROUNDS", 2);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    SCOPED_TRACE("again: tools/file-faults --seed " + std::to_string(seed) + " --damages 1");
    Random random(seed);
    fill(random);
    for (const FilePart& part : parts(random)) {
      for (const Way way : kWays) {
        run(part, way, random);
        if (HasFatalFailure()) return;
      }
    }
    if (HasFailure()) break;
  }
  print();
}

}  // namespace
}  // namespace holdfast::testing
