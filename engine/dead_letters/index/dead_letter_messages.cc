#include "engine/dead_letters/index/dead_letter_messages.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/helpers/text_match.h"
#include "engine/codec/encoding/keys.h"
#include "holdfast/message.h"

namespace holdfast {
namespace {

bool has(const Attributes& attributes, const Attribute& wanted) {
  return searched_part(find_attribute(attributes, wanted.name)) == searched_part(wanted.value);
}

bool knows(const FailureRecord& record, const std::string& name) {
  return std::ranges::find(record.searched, name, &Attribute::name) != record.searched.end();
}

}  // namespace

Result<bool> DeadLetterMessages::match(const DeadLetterFilter& filter, const RecordKey& key,
                                       const DeadLetterRow& row) {
  std::vector<const Attribute*> unknown;
  for (const Attribute& wanted : filter.attributes) {
    if (!knows(row.record, wanted.name)) {
      unknown.push_back(&wanted);
    } else if (!has(row.record.searched, wanted)) {
      return false;
    }
  }
  if (unknown.empty() && filter.body.empty()) return true;
  const auto message = read(key, row);
  if (!message) return tl::unexpected(message.error());
  if (!*message) return false;
  const Attributes attributes = unknown.empty() ? Attributes() : (*message)->attributes();
  return std::ranges::all_of(unknown, [&](const Attribute* wanted) { return has(attributes, *wanted); }) &&
         contains((*message)->body, filter.body);
}

Result<std::optional<MessageView>> DeadLetterMessages::read(const RecordKey& key, const DeadLetterRow& row) {
  if (key.history) return std::nullopt;
  const Seq first{static_cast<std::uint64_t>(key.seq) - row.chunk_index};
  if (!chunk_ || first_ != first) {
    auto bytes = store_.get(Family::kMessages, keys::queue_seq(queue_, first));
    if (!bytes) return tl::unexpected(bytes.error());
    if (!bytes->has_value()) return std::nullopt;
    bytes_read_ += (*bytes)->size();
    auto chunk = Chunk::decode(std::move(**bytes));
    if (!chunk) return tl::unexpected(chunk.error());
    chunk_ = std::move(*chunk);
    first_ = first;
  }
  if (row.chunk_index >= chunk_->count() || !chunk_->holds(row.chunk_index)) return std::nullopt;
  return chunk_->message(row.chunk_index);
}

}  // namespace holdfast
