#include "simulation/disk_world.h"

#include <fstream>
#include <vector>

#include "storage/rocksdb_store.h"
#include "support/result_matchers.h"

namespace holdfast::simulation {
namespace {

namespace fs = std::filesystem;

rocksdb::IOStatus error_of(const DiskFault& fault) {
  return fault.full ? rocksdb::IOStatus::NoSpace("injected") : rocksdb::IOStatus::IOError("injected");
}

}  // namespace

DiskWorld::DiskWorld(std::uint64_t seed, const DiskFault& fault) : random_(seed) {
  if (fault.once) {
    faulty_->operations().fail_only(fault.nth, error_of(fault));
  } else if (fault.nth > 0) {
    faulty_->operations().fail_from(fault.nth, error_of(fault));
  }
  open();
}

DiskWorld::~DiskWorld() { drop_engine(); }

Result<std::unique_ptr<Store>> DiskWorld::open_store() {
  auto store = open_rocksdb_store(directory_ / "data", {.write_buffer_bytes = 1 << 20, .env = env_.get()});
  if (!store) mend();
  return store;
}

void DiskWorld::die() {
  losing_->freeze();
  drop_engine();
  losing_->thaw();
  mend();
}

void DiskWorld::mend() {
  faulty_->operations().fail_none();
  faulty_->reads().fail_none();
}

void DiskWorld::kill() {
  die();
  open();
}

void DiskWorld::cut_power() {
  die();
  losing_->lose(random_);
  try {
    open();
  } catch (const std::exception& refusal) {
    if (!std::string_view(refusal.what()).starts_with("corruption")) throw;
    testing::must(Engine::salvage(directory_ / "data", directory_ / "salvaged"));
    if (testing::must(Engine::verify(directory_ / "salvaged")).sound()) throw Refused();
    throw;
  }
}

void DiskWorld::break_a_write(testing::Random& random) {
  const DiskFault fault{.nth = random.between(1, 20), .once = random.one_in(2), .full = random.one_in(2)};
  const bool reads = random.one_in(3);
  testing::FaultPlan& plan = reads ? faulty_->reads() : faulty_->operations();
  const rocksdb::IOStatus error = reads ? error_of({}) : error_of(fault);
  fault.once ? plan.fail_only(fault.nth, error) : plan.fail_from(fault.nth, error);
}

// What fails here shows in the next call.
void DiskWorld::maintain() { (void)engine().compact(); }

std::string DiskWorld::flip_a_bit() {
  die();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory_ / "data")) {
    if (entry.is_regular_file() && entry.file_size() > 0) files.push_back(entry.path());
  }
  const fs::path path = random_.pick(files);
  const auto at = static_cast<std::streamoff>(random_.below(fs::file_size(path)));
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(at);
    const char byte = static_cast<char>(file.get() ^ (1 << random_.below(8)));
    file.seekp(at);
    file.put(byte);
  }
  const auto report = Engine::verify(directory_ / "data");
  if (!report) return to_string(report.error());
  if (!report->sound()) return report->findings.front().where + ": " + report->findings.front().what;
  open();
  return {};
}

}  // namespace holdfast::simulation
