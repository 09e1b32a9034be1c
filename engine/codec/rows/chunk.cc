#include "engine/codec/rows/chunk.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/codec/encoding/wire.h"
#include "engine/codec/rows/carried.h"
#include "engine/core/group_index.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::size_t kHeaderBytes = 8;
constexpr std::size_t kFixedBytes = sizeof(MessageId::bytes) + sizeof(std::int64_t) + 1;
constexpr std::uint8_t kHasLineage = 1;
constexpr std::uint8_t kHasGroup = 2;
constexpr std::uint8_t kHasPriority = 4;
constexpr std::uint8_t kHasExpiry = 16;
constexpr std::uint8_t kHasCarried = 8;
constexpr std::uint8_t kHasRecord = 32;

std::size_t varint_size(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

bool was_redriven(const Lineage& lineage) { return lineage.record_queue != QueueId{}; }

std::size_t record_place_size(const Lineage& lineage) {
  if (!was_redriven(lineage)) return 0;
  return varint_size(static_cast<std::uint64_t>(lineage.record_queue)) +
         varint_size(static_cast<std::uint64_t>(lineage.record_seq));
}

std::size_t lineage_size(const Lineage& lineage) {
  if (lineage.empty()) return 0;
  return varint_size(lineage.replays) + varint_size(lineage.deaths) + 8 +
         varint_size(static_cast<std::uint64_t>(lineage.origin_queue)) +
         varint_size(static_cast<std::uint64_t>(lineage.origin_seq));
}

std::size_t optional_size(std::string_view bytes) {
  return bytes.empty() ? 0 : varint_size(bytes.size()) + bytes.size();
}

void put_lineage(std::string& out, const Lineage& lineage) {
  wire::put_varint(out, lineage.replays);
  wire::put_varint(out, lineage.deaths);
  wire::put_time(out, lineage.first_failed_at);
  wire::put_varint(out, static_cast<std::uint64_t>(lineage.origin_queue));
  wire::put_varint(out, static_cast<std::uint64_t>(lineage.origin_seq));
}

// Appends what every record begins with in one piece, since that is done for each message.
void put_fixed_fields(std::string& out, const MessageView& head, std::uint8_t flags) {
  const std::int64_t sent_at = head.sent_at.time_since_epoch().count();
  std::array<char, kFixedBytes> fields;
  char* to = std::ranges::copy(head.id.bytes, fields.data()).out;
  std::memcpy(to, &sent_at, sizeof sent_at);
  fields.back() = static_cast<char>(flags);
  out.append(fields.data(), fields.size());
}

void read_prefix(wire::Reader& reader, MessageView& view) {
  const std::string_view id = reader.raw(view.id.bytes.size());
  if (!id.empty()) std::memcpy(view.id.bytes.data(), id.data(), id.size());
  view.sent_at = reader.time();
  const std::uint8_t flags = reader.u8();
  if ((flags & kHasLineage) != 0) {
    view.lineage.replays = reader.varint32();
    view.lineage.deaths = reader.varint32();
    view.lineage.first_failed_at = reader.time();
    view.lineage.origin_queue = QueueId{reader.varint()};
    view.lineage.origin_seq = Seq{reader.varint()};
  }
  if ((flags & kHasGroup) != 0) view.group = reader.bytes();
  if ((flags & kHasPriority) != 0) view.priority = reader.u8();
  if ((flags & kHasExpiry) != 0) view.expires_at = reader.time();
  if ((flags & kHasRecord) != 0) {
    view.lineage.record_queue = QueueId{reader.varint()};
    view.lineage.record_seq = Seq{reader.varint()};
    if (!was_redriven(view.lineage)) reader.fail();
  }
  if ((flags & kHasCarried) != 0) {
    view.carried = reader.bytes();
    if (!is_valid_carried(view.carried)) reader.fail();
  }
}

// Skips the attributes, and returns the bytes of their names and values.
std::size_t skip_attributes(wire::Reader& reader) {
  const std::uint64_t count = reader.varint();
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    bytes += reader.bytes().size();
    bytes += reader.bytes().size();
  }
  return bytes;
}

tl::unexpected<Error> corrupt_chunk(const char* what) {
  return fail(ErrorCode::kCorruption, std::string("a chunk of messages does not decode: ") + what);
}

}  // namespace

Attributes MessageView::attributes() const {
  wire::Reader reader(attribute_bytes);
  Attributes result(reader.varint());
  for (Attribute& attribute : result) {
    attribute.name = reader.bytes();
    attribute.value = reader.bytes();
  }
  return result;
}

std::uint32_t MessageView::bytes() const {
  wire::Reader reader(attribute_bytes);
  return static_cast<std::uint32_t>(body.size() + skip_attributes(reader));
}

Result<Chunk::Header> Chunk::decode_header(std::string_view bytes) {
  wire::Reader reader(bytes);
  const std::uint8_t kind = reader.u8();
  reader.raw(3);
  const std::uint32_t count = reader.u32();
  if (reader.failed() || kind > static_cast<std::uint8_t>(ChunkKind::kReplayed))
    return corrupt_chunk("header");
  if (count == 0 || count > limits::kChunkMessages) return corrupt_chunk("count of messages");
  return Header{static_cast<ChunkKind>(kind), count};
}

Result<std::shared_ptr<const Chunk>> Chunk::decode(std::string bytes) {
  const auto header = decode_header(bytes);
  if (!header) return tl::unexpected(header.error());
  std::shared_ptr<Chunk> chunk(new Chunk);
  chunk->bytes_ = std::move(bytes);
  chunk->kind_ = header->kind;
  chunk->records_.reserve(header->count);

  wire::Reader reader(std::string_view(chunk->bytes_).substr(kHeaderBytes));
  for (std::uint32_t i = 0; i < header->count; ++i) {
    const std::string_view record = reader.bytes();
    if (reader.failed()) return corrupt_chunk("record size");
    chunk->records_.push_back({static_cast<std::uint32_t>(record.data() - chunk->bytes_.data()),
                               static_cast<std::uint32_t>(record.size())});
    if (record.empty()) continue;
    wire::Reader fields(record);
    MessageView view;
    read_prefix(fields, view);
    skip_attributes(fields);
    if (fields.failed()) return corrupt_chunk("record");
    chunk->first_expiry_ = std::min(chunk->first_expiry_, view.expires_at);
  }
  if (!reader.at_end()) return corrupt_chunk("bytes after the last record");
  return std::shared_ptr<const Chunk>(std::move(chunk));
}

Timestamp Chunk::sent_at() const {
  const auto held = std::ranges::find_if(records_, [](const Extent& record) { return record.size > 0; });
  if (held == records_.end()) return {};
  return message(static_cast<std::uint32_t>(held - records_.begin())).sent_at;
}

MessageView Chunk::message(std::uint32_t index) const {
  const Extent record = records_[index];
  if (record.size == 0) return {};
  wire::Reader reader(std::string_view(bytes_).substr(record.begin, record.size));
  MessageView view;
  read_prefix(reader, view);
  const std::string_view from_attributes = reader.rest();
  skip_attributes(reader);
  view.attribute_bytes = from_attributes.substr(0, from_attributes.size() - reader.rest().size());
  view.body = reader.rest();
  return view;
}

std::vector<GroupKey> Chunk::groups() const {
  std::vector<GroupKey> result;
  result.reserve(records_.size());
  for (std::uint32_t i = 0; i < count(); ++i) result.push_back(group_key(message(i).group));
  return result;
}

std::vector<std::uint32_t> Chunk::sizes() const {
  std::vector<std::uint32_t> result;
  result.reserve(records_.size());
  for (std::uint32_t i = 0; i < count(); ++i) result.push_back(holds(i) ? message(i).bytes() : 0);
  return result;
}

ChunkSpan Chunk::span_at(Seq first) const {
  return {.first = first,
          .count = count(),
          .dead_letters = kind_ == ChunkKind::kDeadLetters,
          .replayed = kind_ == ChunkKind::kReplayed,
          .sizes = sizes()};
}

ChunkBuilder::ChunkBuilder(Seq first, ChunkKind kind) : first_(first), chunk_(new Chunk) {
  chunk_->kind_ = kind;
  wire::put_u8(chunk_->bytes_, static_cast<std::uint8_t>(kind));
  chunk_->bytes_.resize(kHeaderBytes);
}

// A chunk has more than these limits only if a message has it alone. Such a message may have 64 MiB, which
// says nothing of the next one.
void ChunkBuilder::reserve(std::uint32_t count, std::size_t bytes) {
  chunk_->records_.reserve(std::min<std::size_t>(count, limits::kChunkMessages));
  chunk_->bytes_.reserve(std::min(bytes, limits::kChunkBytes));
}

bool ChunkBuilder::has_room_for(std::size_t bytes) const {
  return count() < limits::kChunkMessages && byte_size() + bytes <= limits::kChunkBytes;
}

void ChunkBuilder::begin_record(const MessageView& head, const Lineage& lineage, std::size_t tail_bytes) {
  std::string& out = chunk_->bytes_;
  const bool expires = head.expires_at != kNever;
  chunk_->first_expiry_ = std::min(chunk_->first_expiry_, head.expires_at);
  const std::size_t size = kFixedBytes + lineage_size(lineage) + optional_size(head.group) +
                           optional_size(head.carried) + (head.priority == 0 ? 0 : 1) + (expires ? 8 : 0) +
                           record_place_size(lineage) + tail_bytes;
  wire::put_varint(out, size);
  chunk_->records_.push_back({static_cast<std::uint32_t>(out.size()), static_cast<std::uint32_t>(size)});
  const unsigned flags = (lineage.empty() ? 0 : kHasLineage) | (head.group.empty() ? 0 : kHasGroup) |
                         (head.priority == 0 ? 0 : kHasPriority) | (expires ? kHasExpiry : 0) |
                         (head.carried.empty() ? 0 : kHasCarried) | (was_redriven(lineage) ? kHasRecord : 0);
  put_fixed_fields(out, head, static_cast<std::uint8_t>(flags));
  if (!lineage.empty()) put_lineage(out, lineage);
  if (!head.group.empty()) wire::put_bytes(out, head.group);
  if (head.priority != 0) wire::put_u8(out, head.priority);
  if (expires) wire::put_time(out, head.expires_at);
  if (was_redriven(lineage)) {
    wire::put_varint(out, static_cast<std::uint64_t>(lineage.record_queue));
    wire::put_varint(out, static_cast<std::uint64_t>(lineage.record_seq));
  }
  if (!head.carried.empty()) wire::put_bytes(out, head.carried);
}

void ChunkBuilder::add(const MessageId& id, Timestamp sent_at, const Message& message, const Lineage& lineage,
                       Timestamp expires_at) {
  std::size_t tail = varint_size(message.attributes.size()) + message.body.size();
  for (const auto& [name, value] : message.attributes) {
    tail += varint_size(name.size()) + name.size() + varint_size(value.size()) + value.size();
  }
  MessageView head;
  head.id = id;
  head.sent_at = sent_at;
  head.group = message.group;
  head.priority = static_cast<std::uint8_t>(message.priority);
  head.expires_at = expires_at;
  begin_record(head, lineage, tail);
  std::string& out = chunk_->bytes_;
  wire::put_varint(out, message.attributes.size());
  for (const auto& [name, value] : message.attributes) {
    wire::put_bytes(out, name);
    wire::put_bytes(out, value);
  }
  out.append(message.body);
}

void ChunkBuilder::add_copy(const MessageView& message, const Lineage& lineage) {
  begin_record(message, lineage, message.attribute_bytes.size() + message.body.size());
  chunk_->bytes_.append(message.attribute_bytes);
  chunk_->bytes_.append(message.body);
}

void ChunkBuilder::add_nothing() {
  wire::put_varint(chunk_->bytes_, 0);
  chunk_->records_.push_back({static_cast<std::uint32_t>(chunk_->bytes_.size()), 0});
}

std::shared_ptr<const Chunk> ChunkBuilder::finish() && {
  const auto size = static_cast<std::uint32_t>(chunk_->records_.size());
  std::memcpy(chunk_->bytes_.data() + sizeof(std::uint32_t), &size, sizeof size);
  if (chunk_->bytes_.capacity() > 2 * chunk_->bytes_.size()) chunk_->bytes_.shrink_to_fit();
  if (chunk_->records_.capacity() > 2 * chunk_->records_.size()) chunk_->records_.shrink_to_fit();
  return std::move(chunk_);
}

}  // namespace holdfast
