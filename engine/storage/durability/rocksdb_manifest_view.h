// Shows RocksDB the part of a manifest that counts, where the file may not be changed.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace holdfast {

// The view is a file system on which one manifest seems to end earlier than its file does. A directory that
// is opened only to be read keeps the end that a power loss left of an unsynced change, and RocksDB refuses a
// manifest with such an end. Thread-safe.
class ManifestView final : public rocksdb::FileSystemWrapper {
 public:
  // `manifest` is the path by which RocksDB reads it, and `bytes` is how much of it RocksDB sees.
  ManifestView(const std::shared_ptr<rocksdb::FileSystem>& target, std::filesystem::path manifest,
               std::uint64_t bytes)
      : FileSystemWrapper(target), manifest_(std::move(manifest)), bytes_(bytes) {}

  const char* Name() const override { return "holdfast.ManifestView"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* context) override;
  rocksdb::IOStatus GetFileSize(const std::string& name, const rocksdb::IOOptions& options,
                                std::uint64_t* size, rocksdb::IODebugContext* context) override;

 private:
  const std::filesystem::path manifest_;
  const std::uint64_t bytes_;
};

}  // namespace holdfast
