// A chunk has the messages of one queue that share a commit, in one row of `messages`.
//
//   chunk    = kind:u8 zero:u8*3 count:u32 record*count
//   record   = size:varint id:byte*16 sent_at:u64 flags:u8 [lineage] [group] [priority:u8]
//              [expires_at:u64] [replay] [carried] attributes body
//              (nothing if size is 0: the message is done and was left out when the chunk was compacted)
//   lineage  = replays:varint deaths:varint first_failed_at:u64 origin_queue:varint origin_seq:varint
//                                                                          if flags bit 0
//   group    = bytes                                                       if flags bit 1
//   priority                                                               if flags bit 2
//   expires_at                                                             if flags bit 4
//   replay   = record_queue:varint record_seq:varint                       if flags bit 5
//   carried  = bytes                                 if flags bit 3: see carried.h; only in `scheduled`
//   attributes = count:varint (name:bytes value:bytes)*count
//   body     = the rest of the record
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/chunk_span.h"
#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/message.h"
#include "holdfast/time.h"

namespace holdfast {

enum class ChunkKind : std::uint8_t {
  kMessages = 0,
  kDeadLetters = 1,  // each message has a row in `dead_letters`
  kReplayed = 2,     // each message was redriven, and its lineage names its record
};

// A message that died before carries its lineage along, whose size is bounded however often the message dies.
struct Lineage {
  std::uint32_t replays = 0;    // times redriven
  std::uint32_t deaths = 0;     // visits to a dead letter queue
  Timestamp first_failed_at{};  // over all its lives; the epoch if it never failed
  // A dead letter has here the queue that the message was sent to, even if it fell down a chain of dead
  // letter queues.
  QueueId origin_queue{};
  Seq origin_seq{};
  // A redriven message has here the dead letter queue that keeps its record as history, and the record's
  // place there.
  QueueId record_queue{};
  Seq record_seq{};

  bool empty() const { return *this == Lineage{}; }
  friend bool operator==(const Lineage&, const Lineage&) = default;
};

inline constexpr Timestamp kNever = Timestamp::max();

// A MessageView is a message within a chunk. Its views point into the chunk.
struct MessageView {
  MessageId id;
  Timestamp sent_at{};
  Lineage lineage;
  std::string_view group;
  std::uint8_t priority = 0;
  Timestamp expires_at = kNever;
  std::string_view carried;          // encoded; empty if it was not delivered before it left the log
  std::string_view attribute_bytes;  // encoded
  std::string_view body;

  Attributes attributes() const;
  // Returns the bytes of the body and of the names and values of the attributes. They count against a queue's
  // max_bytes.
  std::uint32_t bytes() const;
};

// A Chunk is held in memory and never changes.
class Chunk {
 public:
  // Decodes the value of a row. kCorruption if it does not decode.
  static Result<std::shared_ptr<const Chunk>> decode(std::string bytes);

  ChunkKind kind() const { return kind_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(records_.size()); }
  // Returns an empty view if the message was left out.
  MessageView message(std::uint32_t index) const;
  // Returns the group of each message, in order.
  std::vector<GroupKey> groups() const;
  bool holds(std::uint32_t index) const { return records_[index].size > 0; }
  // Returns when the first message that it holds was sent.
  Timestamp sent_at() const;
  // Returns MessageView::bytes() of each message; 0 for one that was left out.
  std::vector<std::uint32_t> sizes() const;
  ChunkSpan span_at(Seq first) const;
  const std::string& bytes() const { return bytes_; }
  // Returns when the first of its messages expires; kNever if none does.
  Timestamp first_expiry() const { return first_expiry_; }

  // The kind and the count in a row's value, which decode_header() reads without the records.
  struct Header {
    ChunkKind kind;
    std::uint32_t count;
  };
  static Result<Header> decode_header(std::string_view bytes);

 private:
  friend class ChunkBuilder;
  Chunk() = default;

  struct Extent {
    std::uint32_t begin;
    std::uint32_t size;
  };

  std::string bytes_;
  std::vector<Extent> records_;
  ChunkKind kind_ = ChunkKind::kMessages;
  Timestamp first_expiry_ = kNever;
};

// Assembles a chunk while its commit group is open.
class ChunkBuilder {
 public:
  ChunkBuilder(Seq first, ChunkKind kind);

  Seq first() const { return first_; }
  ChunkKind kind() const { return chunk_->kind_; }
  std::uint32_t count() const { return chunk_->count(); }
  MessageId id(std::uint32_t index) const { return chunk_->message(index).id; }
  std::size_t byte_size() const { return chunk_->bytes_.size(); }

  // Takes the memory for about so much at once, instead of growing with each message. finish() gives back
  // what was by far too much.
  void reserve(std::uint32_t count, std::size_t bytes);
  // Returns whether a message of about this size may still join (see limits::kChunkMessages and kChunkBytes).
  bool has_room_for(std::size_t bytes) const;

  void add(const MessageId& id, Timestamp sent_at, const Message& message, const Lineage& lineage = {},
           Timestamp expires_at = kNever);
  // Adds a message with another lineage. Everything else stays the same byte for byte.
  void add_copy(const MessageView& message, const Lineage& lineage);
  // Adds the place of a message that is done and is left out.
  void add_nothing();

  std::shared_ptr<const Chunk> finish() &&;

 private:
  // Writes a record up to its attributes and body, whose `tail_bytes` must follow.
  void begin_record(const MessageView& head, const Lineage& lineage, std::size_t tail_bytes);

  Seq first_;
  std::shared_ptr<Chunk> chunk_;
};

}  // namespace holdfast
