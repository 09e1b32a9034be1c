#include <filesystem>
#include <map>
#include <stdexcept>
#include <system_error>

#include "tests/model/backing.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using Listing = std::map<std::filesystem::path, std::uintmax_t>;

Listing listing_of(const std::filesystem::path& directory, std::error_code& failed) {
  Listing listing;
  for (const auto& file : std::filesystem::directory_iterator(directory, failed)) {
    listing[file.path()] = file.file_size(failed);
    if (failed) break;
  }
  return listing;
}

// Again if a file changed meanwhile: RocksDB compacts and clears up in the background.
void copy_directory(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (;;) {
    std::error_code failed;
    std::filesystem::remove_all(to);
    const Listing before = listing_of(from, failed);
    if (!failed) std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, failed);
    if (!failed && listing_of(from, failed) == before && !failed) return;
    if (failed && failed != std::errc::no_such_file_or_directory) {
      throw std::filesystem::filesystem_error("copying a directory", from, to, failed);
    }
  }
}

class RocksdbBacking final : public Backing {
 public:
  RocksdbBacking(EngineOptions options, bool can_crash) : options_(options), can_crash_(can_crash) {}

  Engine open(const Clock& clock) override {
    EngineOptions options = options_;
    options.clock = &clock;
    return must(Engine::open(directory(), options));
  }

  // A copy of the idle engine's files is what the operating system would keep of a killed process.
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
