// Hands dead letters to the place where they are archived, and remembers how that went.
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/archive_sink.h"

namespace holdfast {

// Thread-safe.
class Archiving {
 public:
  // Without a sink into files of the directory; without either, nowhere.
  Archiving(std::shared_ptr<ArchiveSink> sink, const std::filesystem::path& directory);

  // Whether there is a place.
  bool on() const { return sink_ != nullptr; }
  // They are safe there when it returns. May take as long as the sink likes: no lock of the engine is to be
  // held. kClosed after stop().
  Result<void> write(const std::string& queue, std::vector<std::string> lines, Timestamp earliest_death,
                     Timestamp now);
  ArchiveHealth health() const;
  // Asks a write under way to end.
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
