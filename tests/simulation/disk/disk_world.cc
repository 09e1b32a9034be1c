#include "tests/simulation/disk/disk_world.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {
namespace {

namespace fs = std::filesystem;

rocksdb::IOStatus error_of(const DiskFault& fault) {
  return fault.full ? rocksdb::IOStatus::NoSpace("injected") : rocksdb::IOStatus::IOError("injected");
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): an IOStatus frees its text

struct Held {
  QueueCounts counts;
  std::uint64_t bytes = 0;
  QueueTotals totals;

  friend bool operator==(const Held&, const Held&) = default;
};

std::map<std::string, Held> held_by(const std::vector<QueueInfo>& queues) {
  std::map<std::string, Held> held;
  for (const QueueInfo& queue : queues)
    held.emplace(queue.name, Held{queue.counts, queue.bytes, queue.totals});
  return held;
}

}  // namespace

DiskWorld::DiskWorld(std::uint64_t seed, const DiskFault& fault)
    : random_(seed),
      lasts_(fault.lasts),
      plan_(fault.kind == testing::FileOperation::kRead ? &faulty_->reads() : &faulty_->operations()) {
  plan_->confine_to(fault.kind);
  if (fault.once) {
    plan_->fail_only(fault.nth, error_of(fault));
  } else if (fault.nth > 0) {
    plan_->fail_from(fault.nth, error_of(fault));
  }
  open();
}

DiskWorld::~DiskWorld() { drop_engine(); }

Result<std::unique_ptr<Store>> DiskWorld::open_store() {
  auto store = open_rocksdb_store(directory_ / "data", {.write_buffer_bytes = 1 << 20, .env = env_.get()});
  if (!store) mend_in_time();
  if (store) fs::copy_file(mark(), directory_ / "synced mark", fs::copy_options::overwrite_existing);
  return store;
}

void DiskWorld::die() {
  if (lasts_ == 0) losing_->freeze();
  drop_engine();
  losing_->thaw();
  mend_in_time();
}

void DiskWorld::mend_in_time() {
  if (lasts_ == 0) {
    mend();
  } else if (plan_->is_firing()) {
    --lasts_;
  }
}

bool DiskWorld::mend() {
  bool failed = false;
  for (testing::FaultPlan* plan : {&faulty_->operations(), &faulty_->reads(), &losing_->syncs()}) {
    if (!plan->is_firing()) continue;
    plan->fail_none();
    failed = true;
  }
  return failed;
}

void DiskWorld::kill() {
  die();
  open();
}

// What was not synced may be as long as it was written, but contain zeros. The mark tells recovery that this
// is no damage to what was synced. The mark itself may be lost. Then the directory may be refused, and
// salvage has to bring over everything that was synced. Zeros of an earlier power loss may be in a log whose
// deletion this one took back.
bool DiskWorld::cut_power() {
  die();
  losing_->lose(random_);
  const LosingFileSystem::Losses losses = losing_->losses();
  const bool loses_mark = random_.one_in(3) && fs::remove(mark());
  if (!loses_mark && random_.one_in(2) && fs::exists(directory_ / "synced mark"))
    fs::copy_file(directory_ / "synced mark", mark(), fs::copy_options::overwrite_existing);
  const bool may_be_refused = loses_mark && losses.zeros + losses.given_up > 0;
  try {
    open();
    return false;
  } catch (const std::exception& refusal) {
    if (!may_be_refused || !std::string_view(refusal.what()).starts_with("corruption")) throw;
  }
  replace_with_salvaged();
  open();
  return true;
}

void DiskWorld::replace_with_salvaged() {
  const SalvageReport report = testing::must(Engine::salvage(directory_ / "data", directory_ / "salvaged"));
  if (!report.losses.empty())
    throw std::runtime_error("salvage lost " + report.losses.front().where + ": " +
                             report.losses.front().what);
  if (!testing::must(Engine::verify(directory_ / "salvaged")).sound())
    throw std::runtime_error("what salvage made is not sound");
  fs::remove_all(directory_ / "data");
  fs::rename(directory_ / "salvaged", directory_ / "data");
  ++salvages_;
}

void DiskWorld::break_a_write(testing::Random& random) {
  const DiskFault fault{.nth = random.between(1, 20), .once = random.one_in(2), .full = random.one_in(2)};
  const bool reads = random.one_in(3);
  testing::FaultPlan& plan = reads              ? faulty_->reads()
                             : random.one_in(4) ? losing_->syncs()
                                                : faulty_->operations();
  const rocksdb::IOStatus error = reads ? error_of({}) : error_of(fault);
  fault.once ? plan.fail_only(fault.nth, error) : plan.fail_from(fault.nth, error);
}

// Commits everything that was counted before it is committed: what a waiting receive is given, and what
// leaves a queue in which another message could not be read. A transaction that changes nothing comes after
// all that. Returns false if it failed.
bool DiskWorld::commit_all() {
  const auto families = engine().list_families();
  if (!families || families->empty()) return false;
  return engine()
      .commit(Transaction().remove(families->front(), "nothing"), {.durability = Durability::kBuffered})
      .has_value();
}

// Compacts, and sometimes backs up. A failure shows in the next call. If a backup was answered, it can be
// restored, is sound, and holds what was there.
void DiskWorld::maintain() {
  (void)engine().compact();
  if (!random_.one_in(2)) return;
  const fs::path backups = directory_ / ("backups" + std::to_string(++backups_));
  const fs::path restored = directory_ / "restored";
  if (!commit_all()) return;
  const auto there = engine().list_queues();
  if (!there || !engine().backup(backups)) return;
  testing::must(Engine::restore(backups, restored));
  if (!testing::must(Engine::verify(restored)).sound()) throw std::runtime_error("a backup is not sound");
  Engine copy = testing::must(Engine::open(restored, {.background = false}));
  if (held_by(testing::must(copy.list_queues())) != held_by(*there))
    throw std::runtime_error("a backup is not what there was");
  testing::must(copy.close());
  fs::remove_all(restored);
  ++restores_;
}

void DiskWorld::set_full(bool full) {
  faulty_->set_free_space(full ? std::optional<std::uint64_t>(kReserve / 2) : std::nullopt);
}

// Flips a bit of what was promised to stay. A flipped bit in what was never synced may look like the traces
// of a power loss, and may be dropped like them.
DiskWorld::Flip DiskWorld::flip_a_bit() {
  die();
  if (!testing::must(Engine::verify(directory_ / "data")).sound())
    throw std::runtime_error("verify finds damage before there is any");
  std::vector<fs::path> files;
  const auto synced = [&](const fs::path& file) {
    return losing_->synced_of(file.string(), fs::file_size(file));
  };
  for (const auto& entry : fs::directory_iterator(directory_ / "data")) {
    if (entry.is_regular_file() && synced(entry.path()) > 0) files.push_back(entry.path());
  }
  std::ranges::sort(files);  // a seed then picks the same file again
  const fs::path path = random_.pick(files);
  const auto at = static_cast<std::streamoff>(random_.below(synced(path)));
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ (1 << random_.below(8)));
    file.seekp(at);
    file.put(byte);
  }
  Flip flip{.file = path.filename(), .found = {}};
  const auto report = Engine::verify(directory_ / "data");
  if (!report) {
    flip.found = to_string(report.error());
  } else if (!report->sound()) {
    flip.found = report->findings.front().where + ": " + report->findings.front().what;
  } else {
    open();
  }
  return flip;
}

}  // namespace holdfast::simulation
