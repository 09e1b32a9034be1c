// Reads the records of a queue one after another, as a walk over its index reaches them.
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
// tenth of a look-up. So the reader scans once several neighbours were asked for. What it scans is a few rows
// old.
class DeadLetterReader {
 public:
  // `newest_first` says that the places that are asked for mostly descend.
  DeadLetterReader(const Store& store, QueueId queue, bool newest_first)
      : store_(store), queue_(queue), down_(newest_first) {}

  // Returns the row of a record, or nothing if it is gone. The row is valid until the next call.
  Result<std::optional<std::string_view>> read(const RecordKey& key);

 private:
  // Returns how many rows `key` lies after `from`, in the direction of this walk, or nothing if it lies
  // before it or elsewhere.
  std::optional<std::uint64_t> distance(const std::optional<RecordKey>& from, const RecordKey& key) const;
  Result<std::optional<std::string_view>> look_up(const RecordKey& key);
  Result<std::optional<std::string_view>> scan_to(const RecordKey& key);
  void begin_scan(const RecordKey& key);

  const Store& store_;
  const QueueId queue_;
  const bool down_;
  std::optional<RecordKey> last_;
  int neighbours_ = 0;  // neighbours asked for in a row
  std::string row_;     // the row that was looked up last
  std::unique_ptr<Scan> scan_;
  // `scan_begin_` is the record at which the scan began. From there it covers a fixed number of rows.
  std::optional<RecordKey> scan_begin_;
  // `scanned_` is the record that was asked for last. The scan stands at it, or at the first row after it.
  std::optional<RecordKey> scanned_;
};

}  // namespace holdfast
