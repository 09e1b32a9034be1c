#include "engine/services/archiving.h"

#include <openssl/evp.h>

#include <array>
#include <exception>
#include <utility>

#include "engine/storage/files/archive_file.h"

namespace holdfast {
namespace {

class DirectorySink final : public ArchiveSink {
 public:
  explicit DirectorySink(const std::filesystem::path& directory) : files_(directory) {}

  Result<void> write(const ArchiveBatch& batch, const std::stop_token& /*stop*/) override {
    return files_.append(batch.queue, batch.lines, batch.time);
  }

 private:
  ArchiveWriter files_;
};

std::shared_ptr<ArchiveSink> place(std::shared_ptr<ArchiveSink> sink,
                                   const std::filesystem::path& directory) {
  if (sink || directory.empty()) return sink;
  return std::make_shared<DirectorySink>(directory);
}

// Returns half of the SHA-256 digest of all lines and their line ends, which is enough to tell any two
// batches apart.
std::string digest_of(const std::vector<std::string>& lines) {
  constexpr std::size_t kBytes = 16;
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (const std::string& line : lines) {
    EVP_DigestUpdate(context.get(), line.data(), line.size());
    EVP_DigestUpdate(context.get(), "\n", 1);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
  EVP_DigestFinal_ex(context.get(), made.data(), nullptr);
  std::string digits;
  for (std::size_t i = 0; i < kBytes; ++i) {
    digits += "0123456789abcdef"[made[i] >> 4U];
    digits += "0123456789abcdef"[made[i] & 15U];
  }
  return digits;
}

}  // namespace

Archiving::Archiving(std::shared_ptr<ArchiveSink> sink, const std::filesystem::path& directory)
    : sink_(place(std::move(sink), directory)) {}

Result<void> Archiving::write(const std::string& queue, std::vector<std::string> lines,
                              Timestamp earliest_death, Timestamp now) {
  std::string name = file_time(earliest_death) + "-" + digest_of(lines);
  const ArchiveBatch batch{.queue = queue, .name = std::move(name), .lines = std::move(lines), .time = now};
  const sync::Lock writing(writing_);
  if (stop_.stop_requested()) return fail(ErrorCode::kClosed, "the engine is closed");
  Result<void> written = try_to_write(batch);
  const sync::Lock noting(noted_);
  if (written) {
    health_.written += batch.lines.size();
  } else {
    ++health_.failures;
    if (health_.last) health_.failing_since = now;
  }
  health_.last = written;
  return written;
}

// The sink may be the application's, and may throw.
Result<void> Archiving::try_to_write(const ArchiveBatch& batch) {
  try {
    return sink_->write(batch, stop_.get_token());
  } catch (const std::exception& e) {
    return fail(ErrorCode::kUnavailable, std::string("the archive: ") + e.what());
  } catch (...) {
    return fail(ErrorCode::kUnavailable, "the archive: an exception that says nothing");
  }
}

ArchiveHealth Archiving::health() const {
  const sync::Lock noting(noted_);
  return health_;
}

}  // namespace holdfast
