// A StoredRecord is a `dead_letters` row on its way to history. Its description of the death stays encoded;
// only triage and the fields in the index are decoded, since a redrive needs nothing else of most records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/codec/dead_letters/indexed_fields.h"
#include "holdfast/error.h"
#include "holdfast/redrive.h"

namespace holdfast {

class StoredRecord {
 public:
  // kCorruption if the row's fields do not decode.
  static Result<std::unique_ptr<const StoredRecord>> decode(std::string_view row);
  StoredRecord(const StoredRecord&) = delete;  // its views are of its own bytes
  StoredRecord& operator=(const StoredRecord&) = delete;

  const std::string& row() const { return row_; }
  std::uint32_t chunk_index() const { return chunk_index_; }
  // The status and the assignee in the result are those of triage().
  const IndexedFields& indexed() const { return indexed_; }
  const Triage& triage() const { return triage_; }
  bool has_original() const { return has_original_; }

  // Returns the row for history, with another triage. `replayed_by` is the task that moved the message.
  std::string history_row(const Triage& triage, bool has_original, TaskId replayed_by) const;

 private:
  explicit StoredRecord(std::string_view row) : row_(row) {}
  bool read();

  const std::string row_;
  std::string_view death_;  // the fields of the failure record, which come first
  std::uint32_t chunk_index_ = 0;
  IndexedFields indexed_;
  Triage triage_;
  bool has_original_ = false;
};

}  // namespace holdfast
