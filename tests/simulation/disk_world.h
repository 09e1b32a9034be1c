// Over RocksDB, on a file system whose operations fail and that forgets what was not synced.
#pragma once

#include <rocksdb/env.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "simulation/losing_file_system.h"
#include "simulation/world.h"
#include "storage/faulty_file_system.h"
#include "support/temp_dir.h"

namespace holdfast::simulation {

// Which operation of a whole run fails.
struct DiskFault {
  std::uint64_t nth = 0;  // 0: none
  bool once = false;      // false: all that follow fail too, until the process is restarted
  bool full = false;      // the error is ENOSPC instead of EIO
};

// Thrown when the directory is refused as damaged after a power loss, and salvage brings it over: what was
// not synced was as long as it was written, with zeros in it, which cannot be told from damage to what was.
struct Refused {};

class DiskWorld final : public World {
 public:
  explicit DiskWorld(std::uint64_t seed, const DiskFault& fault = {});
  ~DiskWorld() override;

  void kill() override;
  void cut_power() override;
  void break_a_write(testing::Random& random) override;
  void mend() override;
  void maintain() override;

  // How many operations that can fail there were.
  std::uint64_t operations() const { return faulty_->operations().count(); }

  // Changes a bit of a file while nobody has it open, and looks for it. Gives what was found to be wrong;
  // empty if nothing was, and the engine is open again.
  std::string flip_a_bit();

 private:
  Result<std::unique_ptr<Store>> open_store() override;
  void die();

  testing::Random random_;
  testing::TempDir directory_;
  std::shared_ptr<LosingFileSystem> losing_ = std::make_shared<LosingFileSystem>();
  std::shared_ptr<testing::FaultyFileSystem> faulty_ = std::make_shared<testing::FaultyFileSystem>(losing_);
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(faulty_);
};

}  // namespace holdfast::simulation
