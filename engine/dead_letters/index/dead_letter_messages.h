// Reads the messages of dead letters, for what a filter asks of them and their records do not say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/chunk.h"
#include "engine/storage/store.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

// Reads what is committed. Dead letters that came together lie in one chunk, so the last chunk is kept in
// memory.
class DeadLetterMessages {
 public:
  DeadLetterMessages(const Store& store, QueueId queue) : store_(store), queue_(queue) {}

  // Returns whether the filter means this dead letter, for which matches() must be true. Returns false also
  // if its message is gone. kCorruption, or the error of reading.
  Result<bool> match(const DeadLetterFilter& filter, const RecordKey& key, const DeadLetterRow& row);

  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  Result<std::optional<MessageView>> read(const RecordKey& key, const DeadLetterRow& row);

  const Store& store_;
  const QueueId queue_;
  std::uint64_t bytes_read_ = 0;
  Seq first_{};  // of chunk_
  std::shared_ptr<const Chunk> chunk_;
};

}  // namespace holdfast
