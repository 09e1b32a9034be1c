// The engine under the model test on a RocksDB directory, where a crash loses nothing that was written.
#include <filesystem>
#include <stdexcept>

#include "tests/model/backing.h"
#include "tests/support/copy_directory.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

class RocksdbBacking final : public Backing {
 public:
  RocksdbBacking(EngineOptions options, bool can_crash) : options_(options), can_crash_(can_crash) {}

  Engine open(const Clock& clock) override {
    EngineOptions options = options_;
    options.clock = &clock;
    return must(Engine::open(directory(), options));
  }

  // The copy of an idle engine's files is what the operating system would keep of a killed process.
  void crash(std::optional<Engine>& engine) override {
    const std::filesystem::path before = directory();
    ++generation_;
    copy_directory(before, directory());
    engine.reset();
    std::filesystem::remove_all(before);
  }

  bool can_crash() const override { return can_crash_; }
  bool loses_unsynced() const override { return false; }
  void cut_power() override { throw std::logic_error("a RocksDB directory has no power switch"); }

 private:
  std::filesystem::path directory() const { return temp_ / ("data" + std::to_string(generation_)); }

  TempDir temp_;
  EngineOptions options_;
  bool can_crash_;
  int generation_ = 0;
};

}  // namespace

std::unique_ptr<Backing> make_rocksdb_backing() {
  return std::make_unique<RocksdbBacking>(EngineOptions{.background = false}, true);
}

std::unique_ptr<Backing> make_small_rocksdb_backing() {
  return std::make_unique<RocksdbBacking>(EngineOptions{.background = false,
                                                        .message_cache_bytes = 4096,
                                                        .block_cache_bytes = 64 << 10,
                                                        .write_buffer_bytes = 64 << 10},
                                          false);
}

}  // namespace holdfast::testing
