// Watches the numbers of the writes that recovery finds in the logs.
#pragma once

#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include "engine/storage/files/little_endian.h"

namespace holdfast {

// Writes are numbered without gaps. RocksDB passes in silence over a part of a log that is zeros, and goes on
// with the next log if one ends early. Later writes would then be there without those that came before them.
// This filter ends recovery at the first write that is missing.
class LogContinuity final : public rocksdb::WalFilter {
 public:
  // The logs begin with the write of the number `begin`, or with an earlier one. It is 0 if the first write
  // is not known.
  explicit LogContinuity(std::uint64_t begin) : begin_(begin) {}

  const char* Name() const override { return "holdfast.LogContinuity"; }

  WalProcessingOption LogRecordFound(unsigned long long /*log*/, const std::string& /*name*/,
                                     const rocksdb::WriteBatch& batch, rocksdb::WriteBatch* /*changed*/,
                                     bool* /*is_changed*/) override {
    if (batch.Count() == 0) return WalProcessingOption::kContinueProcessing;
    const auto first = load_little<std::uint64_t>(batch.Data(), 0);
    const bool is_missing = next_ != 0 ? first != next_ : begin_ != 0 && first > begin_;
    if (is_missing && missing_ == 0) missing_ = next_ != 0 ? next_ : begin_;
    if (is_missing) return WalProcessingOption::kCorruptedRecord;
    if (next_ == 0) first_ = first;
    next_ = first + batch.Count();
    return WalProcessingOption::kContinueProcessing;
  }

  // Return the numbers of the first and of the last write that recovery found; 0 before it has found one.
  std::uint64_t first() const { return first_; }
  std::uint64_t last() const { return next_ == 0 ? 0 : next_ - 1; }
  // Returns the number of the first write that is missing though later ones are there; 0 if none is.
  std::uint64_t missing() const { return missing_; }

 private:
  const std::uint64_t begin_;
  std::uint64_t missing_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t next_ = 0;  // the number of the write that must come next; 0 before the first one
};

}  // namespace holdfast
