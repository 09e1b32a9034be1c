#include "engine/storage/rocksdb/opening/rocksdb_file_system.h"

#include <optional>

#include "engine/storage/durability/durable_mark.h"
#include "engine/storage/durability/rocksdb_cut_files.h"
#include "engine/storage/durability/rocksdb_durability.h"
#include "engine/storage/durability/rocksdb_manifest_view.h"
#include "engine/storage/rocksdb/environment/rocksdb_private_files.h"

namespace holdfast {
namespace {

// What is opened only to be read is not changed, so the manifest keeps an end that RocksDB must not see.
std::shared_ptr<rocksdb::FileSystem> hide_uncounted_end(const Home& home,
                                                        const std::shared_ptr<rocksdb::FileSystem>& target) {
  const auto mark = read_mark(home.path);
  if (!mark) return target;
  return std::make_shared<ManifestView>(target, current_manifest(home.path),
                                        counting_manifest_bytes(home.path, *mark));
}

}  // namespace

std::shared_ptr<rocksdb::FileSystem> file_system_of(const Home& home, bool read_only,
                                                    const std::shared_ptr<rocksdb::FileSystem>& target,
                                                    const std::shared_ptr<FailStop>& fail_stop,
                                                    const std::shared_ptr<LogWatch>& log_watch) {
  std::shared_ptr<rocksdb::FileSystem> files = std::make_shared<PrivateFileSystem>(target);
  if (read_only) files = hide_uncounted_end(home, files);
  return std::make_shared<CutFileSystem>(std::make_shared<LogWatchingFileSystem>(files, log_watch, home.path),
                                         fail_stop);
}

}  // namespace holdfast
