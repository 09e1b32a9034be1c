// Hands dead letters to the place where they are archived, and remembers how that went.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/commit/gate.h"
#include "engine/sync/mutex.h"
#include "holdfast/archive_sink.h"

namespace holdfast {

// An engine has one Archiving, for its one archive. Thread-safe.
class Archiving {
 public:
  // Archives to `sink`. Without a sink, files in `directory` are the archive; if that is empty too, there is
  // none.
  Archiving(std::shared_ptr<ArchiveSink> sink, const std::filesystem::path& directory);

  // Returns whether there is an archive.
  bool on() const { return sink_ != nullptr; }
  // Writes lines to the archive. They are safe there when the call returns. It may take as long as the sink
  // likes, so the caller holds no lock of the engine that other calls need. kClosed after stop().
  Result<void> write(const std::string& queue, std::vector<std::string> lines, Timestamp earliest_death,
                     Timestamp now) HOLDFAST_EXCLUDES(inside_gate);
  ArchiveHealth health() const;
  // Asks a write in progress to end.
  void stop() { stop_.request_stop(); }

 private:
  sync::Mutex writing_;  // held while the sink writes
  Result<void> try_to_write(const ArchiveBatch& batch) HOLDFAST_REQUIRES(writing_);

  const std::shared_ptr<ArchiveSink> sink_;
  std::stop_source stop_;
  mutable sync::Mutex noted_;
  ArchiveHealth health_ HOLDFAST_GUARDED_BY(noted_);
};

}  // namespace holdfast
