#include "engine/storage/durability/rocksdb_manifest_view.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"

namespace holdfast {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class Beginning final : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  Beginning(std::unique_ptr<rocksdb::FSSequentialFile> file, std::uint64_t bytes)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_(bytes) {}

  IOStatus Read(std::size_t bytes, const IOOptions& options, rocksdb::Slice* result, char* scratch,
                IODebugContext* context) override {
    IOStatus status = FSSequentialFileOwnerWrapper::Read(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, left_)), options, result, scratch, context);
    if (!status.ok()) return status;
    HOLDFAST_CHECK(result->size() <= left_, "a file gives no more bytes than it is asked for");
    left_ -= result->size();
    return status;
  }
  IOStatus Skip(std::uint64_t bytes) override {
    const std::uint64_t skipped = std::min(bytes, left_);
    left_ -= skipped;
    return FSSequentialFileOwnerWrapper::Skip(skipped);
  }

 private:
  std::uint64_t left_;
};

}  // namespace

IOStatus ManifestView::NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                         std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                         IODebugContext* context) {
  IOStatus status = FileSystemWrapper::NewSequentialFile(name, options, result, context);
  if (status.ok() && std::filesystem::path(name) == manifest_)
    *result = std::make_unique<Beginning>(std::move(*result), bytes_);
  return status;
}

IOStatus ManifestView::GetFileSize(const std::string& name, const IOOptions& options, std::uint64_t* size,
                                   IODebugContext* context) {
  IOStatus status = FileSystemWrapper::GetFileSize(name, options, size, context);
  if (status.ok() && std::filesystem::path(name) == manifest_) *size = std::min(*size, bytes_);
  return status;
}

}  // namespace holdfast
