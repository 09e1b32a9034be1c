// Brings over the failure records of one queue, with what lies beside them, and makes their index anew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/chunk.h"
#include "engine/salvage/writer.h"
#include "engine/verify/facts.h"

namespace holdfast::salvage {

class RecordRebuilder {
 public:
  RecordRebuilder(const Reader& from, const verify::QueueFacts& queue, Writer& writer,
                  verify::Findings& losses);

  // Brings over the record of a dead letter that is in the queue. One that is lost is made up.
  Result<void> bring(Seq seq, std::uint32_t chunk_index, const MessageView& message);
  // Brings over history, calls note(seq) for each of its records, and writes the counts of the index. Called
  // after the last record of the queue's own.
  Result<void> end(const std::function<void(Seq)>& note);

 private:
  DeadLetterRow record_of(Seq seq, std::uint32_t chunk_index, const MessageView& message);
  Result<void> bring_outcome(std::string_view key, std::string_view value);
  // Writes a record and its entries of the index.
  Result<void> put_record(const RecordKey& key, DeadLetterRow row);
  // Brings over the message as it was before a redrive edited it. If it is lost, `row` no longer names it.
  Result<void> bring_original(Seq seq, DeadLetterRow& row);
  Result<void> put_posting(std::string_view key);

  const Reader& from_;
  const verify::QueueFacts& queue_;
  Writer& writer_;
  verify::Findings& losses_;
  std::map<std::string, IndexCount> index_counts_;  // by key
};

}  // namespace holdfast::salvage
