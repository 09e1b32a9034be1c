// ArchiveBox is an archive in memory that outlives engines, and fails when it is told to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/codec/dead_letters/archive_line.h"
#include "holdfast/archive_sink.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

class ArchiveBox final : public ArchiveSink {
 public:
  enum class Fate : std::uint8_t {
    kTaken,
    kRefused,
    kTakenUnknown,  // the batch is in the box, and the answer is lost
    kThrown,
  };
  using Decide = std::function<Fate(const ArchiveBatch& batch, const std::stop_token& stop)>;

  explicit ArchiveBox(Decide decide = {}) : decide_(std::move(decide)) {}

  Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) override {
    const Fate fate = decide_ ? decide_(batch, stop) : Fate::kTaken;
    if (fate == Fate::kThrown) throw std::runtime_error("thrown");
    const std::scoped_lock lock(mutex_);
    ++writes_;
    if (fate != Fate::kRefused) batches_[batch.queue + "/" + batch.name] = batch.lines;
    if (fate == Fate::kTaken) return {};
    return fail(ErrorCode::kUnavailable, "the box is shut");
  }

  void decide(Decide decide) { decide_ = std::move(decide); }
  std::size_t writes() const {
    const std::scoped_lock lock(mutex_);
    return writes_;
  }
  std::vector<std::string> names() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, lines] : batches_) names.push_back(name);
    return names;
  }
  std::vector<DeadLetter> letters() const {
    const std::scoped_lock lock(mutex_);
    std::vector<DeadLetter> letters;
    for (const auto& [name, lines] : batches_) {
      for (const std::string& line : lines) letters.push_back(must(parse_archive_line(line)));
    }
    return letters;
  }

 private:
  Decide decide_;
  mutable std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> batches_;
  std::size_t writes_ = 0;
};

}  // namespace holdfast::testing
