// A simulated machine with RocksDB, on a file system whose operations fail and that forgets what was not
// synced.
#pragma once

#include <rocksdb/env.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/storage/durability/durable_mark.h"
#include "tests/simulation/disk/losing_file_system.h"
#include "tests/simulation/world/world.h"
#include "tests/storage/faulty_file_system.h"
#include "tests/support/temp_dir.h"

namespace holdfast::simulation {

// Says which operation of a whole run fails.
struct DiskFault {
  std::uint64_t nth = 0;  // 0: no operation fails
  bool once = false;      // false: later operations fail too, until the process is restarted
  bool full = false;      // the error is ENOSPC instead of EIO
  testing::FileOperation kind = testing::FileOperation::kAny;  // which operations are counted, and fail
  // The engine is closed, or its opening fails, this often before the fault is over. 0: the fault ends with
  // the process that met it, which writes nothing more at its end.
  std::uint64_t lasts = 0;
};

class DiskWorld final : public World {
 public:
  explicit DiskWorld(std::uint64_t seed, const DiskFault& fault = {});
  ~DiskWorld() override;

  void kill() override;
  bool cut_power() override;
  void break_a_write(testing::Random& random) override;
  bool mend() override;
  void maintain() override;
  void set_full(bool full) override;
  bool loses_power_often() const override { return true; }

  // Returns how many operations of the fault's kind there were.
  std::uint64_t operations() const { return plan_->count(); }
  // Returns how many of them failed.
  std::uint64_t failed() const { return plan_->failed(); }
  // Returns how often the directory was salvaged.
  std::uint64_t salvages() const { return salvages_; }
  // Returns how many backups were restored and verified.
  std::uint64_t restores() const { return restores_; }
  LosingFileSystem::Losses losses() const { return losing_->losses(); }

  // A Flip says what the flip of a synced bit did, while nobody had the file open.
  struct Flip {
    std::string file;   // the file's name
    std::string found;  // what verify says; empty: it says nothing, and the engine is open again
  };
  Flip flip_a_bit();

 private:
  Result<std::unique_ptr<Store>> open_store() override;
  std::filesystem::path mark() const { return directory_ / "data" / kMarkName; }
  void die();
  void mend_in_time();
  void replace_with_salvaged();
  bool commit_all();

  testing::Random random_;
  std::uint64_t lasts_;
  std::uint64_t backups_ = 0;
  std::uint64_t salvages_ = 0;
  std::uint64_t restores_ = 0;
  testing::TempDir directory_;
  std::shared_ptr<LosingFileSystem> losing_ = std::make_shared<LosingFileSystem>();
  std::shared_ptr<testing::FaultyFileSystem> faulty_ = std::make_shared<testing::FaultyFileSystem>(losing_);
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(faulty_);
  testing::FaultPlan* plan_;  // the plan of the fault
};

}  // namespace holdfast::simulation
