// Reading the records of a queue one after another, as a walk over its index comes to them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"
#include "holdfast/error.h"

namespace holdfast {

// Records that died one after another mostly lie beside each other, and a step to the next row costs about a
// tenth of looking one up: once several neighbours were asked for, it scans. What it scans is a few rows old.
class DeadLetterReader {
 public:
  // `newest_first`: the places that it is asked for mostly descend.
  DeadLetterReader(const Store& store, QueueId queue, bool newest_first)
      : store_(store), queue_(queue), down_(newest_first) {}

  // The row of a record, valid until the next call; none if it is gone.
  Result<std::optional<std::string_view>> read(const RecordKey& key);

 private:
  // How many rows on from the last, in this walk's direction; none if it lies behind it or elsewhere.
  std::optional<std::uint64_t> distance(const std::optional<RecordKey>& from, const RecordKey& key) const;
  Result<std::optional<std::string_view>> look_up(const RecordKey& key);
  Result<std::optional<std::string_view>> scan_to(const RecordKey& key);
  void begin_scan(const RecordKey& key);

  const Store& store_;
  const QueueId queue_;
  const bool down_;
  std::optional<RecordKey> last_;
  int neighbours_ = 0;  // asked for in a row
  std::string row_;     // that was looked up
  std::unique_ptr<Scan> scan_;
  std::optional<RecordKey> scan_begin_;  // it goes on so many rows from here
  std::optional<RecordKey> scanned_;     // it stands there, or behind where that was
};

}  // namespace holdfast
