#include "tests/simulation/disk/losing_file_system.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace holdfast::simulation {
namespace {

namespace fs = std::filesystem;
using rocksdb::IOStatus;

std::string contents_of(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_contents(const std::string& name, const std::string& contents) {
  std::ofstream(name, std::ios::binary | std::ios::trunc) << contents;
}

void write_zeros(const std::string& name, std::uint64_t begin, std::uint64_t end) {
  std::fstream file(name, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(begin));
  file << std::string(end - begin, '\0');
}

bool is_in(const std::string& name, const std::string& directory) {
  return fs::path(name).parent_path() == fs::path(directory).lexically_normal();
}

}  // namespace

class LosingFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LosingFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, LosingFileSystem& system)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), system_(system) {}

  using FSWritableFileOwnerWrapper::Append;
  IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                  rocksdb::IODebugContext* context) override {
    IOStatus status = system_.writable();
    if (status.ok()) status = FSWritableFileOwnerWrapper::Append(data, options, context);
    if (status.ok()) system_.note_append(name_, data.size());
    return status;
  }
  IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    IOStatus status = system_.writable();
    if (!status.ok()) return status;
    status = system_.syncs().next();
    // The device need not work for a sync: this class itself knows what the sync makes durable.
    if (status.ok()) status = FSWritableFileOwnerWrapper::Flush(options, context);
    status.ok() ? system_.note_sync(name_) : system_.note_failed_sync(name_);
    return status;
  }
  IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) override {
    return Sync(options, context);
  }

 private:
  const std::string name_;
  LosingFileSystem& system_;
};

class LosingDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  LosingDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, std::string name, LosingFileSystem& system)
      : FSDirectoryWrapper(std::move(directory)), name_(std::move(name)), system_(system) {}

  IOStatus Fsync(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*context*/) override {
    IOStatus status = system_.writable();
    if (status.ok()) system_.note_directory_sync(name_);
    return status;
  }
  IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* context,
                               const rocksdb::DirFsyncOptions& /*how*/) override {
    return Fsync(options, context);
  }

 private:
  const std::string name_;
  LosingFileSystem& system_;
};

void LosingFileSystem::freeze() {
  const std::scoped_lock lock(mutex_);
  frozen_ = true;
}

void LosingFileSystem::thaw() {
  const std::scoped_lock lock(mutex_);
  frozen_ = false;
}

IOStatus LosingFileSystem::writable() const {
  const std::scoped_lock lock(mutex_);
  return frozen_ ? IOStatus::IOError("the process is dead") : IOStatus::OK();
}

void LosingFileSystem::note_append(const std::string& name, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  files_[name].size += bytes;
}

void LosingFileSystem::note_sync(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  files_[name].synced = files_[name].size;
}

void LosingFileSystem::note_failed_sync(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  Written& file = files_[name];
  const std::uint64_t known = file.given_up.empty() ? 0 : file.given_up.back().end;
  const Range dirty{std::max(file.synced, known), file.size};
  if (dirty.begin < dirty.end) file.given_up.push_back(dirty);
}

void LosingFileSystem::note_directory_sync(const std::string& directory) {
  const std::scoped_lock lock(mutex_);
  for (auto& [name, file] : files_) file.in_directory |= is_in(name, directory);
  std::erase_if(renames_, [&](const Rename& rename) { return is_in(rename.to, directory); });
  std::erase_if(deletions_, [&](const Deletion& deletion) {
    return is_in(deletion.name, directory) && fs::remove(deletion.kept);
  });
}

IOStatus LosingFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                                           rocksdb::IODebugContext* context) {
  IOStatus status = writable();
  rocksdb::FileOptions plain = options;
  plain.use_direct_writes = false;
  if (status.ok()) status = FileSystemWrapper::NewWritableFile(name, plain, result, context);
  if (!status.ok()) return status;
  {
    const std::scoped_lock lock(mutex_);
    files_[name] = {};
  }
  *result = std::make_unique<LosingFile>(std::move(*result), name, *this);
  return status;
}

IOStatus LosingFileSystem::NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                        std::unique_ptr<rocksdb::FSDirectory>* result,
                                        rocksdb::IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewDirectory(name, options, result, context);
  if (status.ok()) *result = std::make_unique<LosingDirectory>(std::move(*result), name, *this);
  return status;
}

IOStatus LosingFileSystem::RenameFile(const std::string& from, const std::string& to,
                                      const rocksdb::IOOptions& options, rocksdb::IODebugContext* context) {
  IOStatus status = writable();
  if (!status.ok()) return status;
  Rename rename{from, to, std::nullopt};
  if (fs::exists(to)) rename.replaced = contents_of(to);
  status = FileSystemWrapper::RenameFile(from, to, options, context);
  if (!status.ok()) return status;
  const std::scoped_lock lock(mutex_);
  if (const auto file = files_.find(from); file != files_.end()) {
    files_[to] = file->second;
    files_[to].in_directory = true;  // the undo of the rename decides whether the file is there
    files_.erase(from);
  }
  renames_.push_back(std::move(rename));
  return status;
}

IOStatus LosingFileSystem::DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                                      rocksdb::IODebugContext* context) {
  IOStatus status = writable();
  if (!status.ok()) return status;
  const std::scoped_lock lock(mutex_);
  const auto file = files_.find(name);
  const bool on_disk =
      file == files_.end() || (file->second.in_directory && file->second.synced == file->second.size &&
                               file->second.given_up.empty());
  const std::string kept = on_disk && fs::exists(name) ? keep(name) : std::string();
  status = FileSystemWrapper::DeleteFile(name, options, context);
  if (!status.ok()) return status;
  if (!kept.empty()) deletions_.push_back({name, kept});
  if (file != files_.end()) files_.erase(file);
  return status;
}

// Keeps a deleted file beside the directory, where nobody looks. Returns its new name.
std::string LosingFileSystem::keep(const std::string& name) {
  const fs::path beside = fs::path(name).parent_path() += ".deleted";
  fs::create_directories(beside);
  std::string kept = beside / std::to_string(++kept_);
  fs::create_hard_link(name, kept);
  return kept;
}

void LosingFileSystem::undo(const Deletion& deletion) {
  if (fs::exists(deletion.name)) return;
  fs::rename(deletion.kept, deletion.name);
  ++losses_.deletions;
}

void LosingFileSystem::undo(const Rename& rename) {
  if (!fs::exists(rename.to)) return;
  fs::rename(rename.to, rename.from);
  if (rename.replaced) write_contents(rename.to, *rename.replaced);
  ++losses_.renames;
}

void LosingFileSystem::lose_bytes(const std::string& name, const Written& file, testing::Random& random) {
  for (const auto& [begin, end] : file.given_up) {
    if (random.one_in(2)) continue;
    write_zeros(name, begin, end);
    ++losses_.given_up;
  }
  const std::uint64_t left = file.synced + random.below(file.size - file.synced + 1);
  if (left == file.size) return;
  fs::resize_file(name, left);
  losses_.bytes += file.size - left;
  losses_.torn_writes += left > file.synced ? 1 : 0;
  if (!random.one_in(4)) return;
  // The length has reached the disk, and the bytes have not.
  fs::resize_file(name, file.size);
  ++losses_.zeros;
}

void LosingFileSystem::lose(testing::Random& random) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, file] : files_) {
    if (!fs::exists(name)) continue;
    if (!file.in_directory && random.one_in(2)) {
      fs::remove(name);
      ++losses_.files;
      continue;
    }
    lose_bytes(name, file, random);
  }
  for (const Deletion& deletion : deletions_) {
    if (random.one_in(2)) undo(deletion);
    fs::remove(deletion.kept);
  }
  deletions_.clear();
  // The newest renames are lost first: whatever came after a lost one is lost too.
  for (std::size_t kept = random.below(renames_.size() + 1); renames_.size() > kept;) {
    undo(renames_.back());
    renames_.pop_back();
  }
  renames_.clear();
  files_.clear();
}

std::uint64_t LosingFileSystem::synced_of(const std::string& name, std::uint64_t size) const {
  const std::scoped_lock lock(mutex_);
  const auto file = files_.find(name);
  return file == files_.end() ? size : std::min(size, file->second.synced);
}

LosingFileSystem::Losses LosingFileSystem::losses() const {
  const std::scoped_lock lock(mutex_);
  return losses_;
}

LosingFileSystem::Losses& LosingFileSystem::Losses::operator+=(const Losses& more) {
  bytes += more.bytes;
  torn_writes += more.torn_writes;
  zeros += more.zeros;
  given_up += more.given_up;
  files += more.files;
  renames += more.renames;
  deletions += more.deletions;
  return *this;
}

}  // namespace holdfast::simulation
