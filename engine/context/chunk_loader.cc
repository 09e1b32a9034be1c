#include "engine/context/chunk_loader.h"

#include <algorithm>

#include "engine/codec/encoding/keys.h"
#include "engine/context/locked_queues.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

constexpr std::size_t kLoadBytes = 8 << 20;  // bytes read ahead of a cursor at once
constexpr std::size_t kStepBytes = 4 << 20;  // bytes read for one step that moves messages

Error name_key(Error error, QueueId queue, Seq first) {
  error.message += " (queue id " + std::to_string(static_cast<std::uint64_t>(queue)) + ", seq " +
                   std::to_string(static_cast<std::uint64_t>(first)) + ")";
  return error;
}

}  // namespace

ChunkReading::ChunkReading(CommitPipeline& pipeline, Queue& queue) : pipeline_(pipeline), queue_(queue) {
  const LockedQueue locked(pipeline.gate(), queue);
  queue.state.begin_reading();
  removed_ = queue.chunks.last_removal_past_cursor(pipeline);
}

ChunkReading::~ChunkReading() {
  const LockedQueue locked(pipeline_.gate(), queue_);
  queue_.state.end_reading();
}

Result<std::shared_ptr<const Chunk>> ChunkLoader::load(QueueId queue, Seq first) {
  if (auto chunk = cache_.get(queue, first)) return chunk;
  return read(queue, first);
}

Result<std::shared_ptr<const Chunk>> ChunkLoader::read(QueueId queue, Seq first) {
  auto bytes = store_.get(Family::kMessages, keys::queue_seq(queue, first));
  if (!bytes) return tl::unexpected(bytes.error());
  if (!bytes->has_value()) return fail(ErrorCode::kMessageNotFound, "the message is gone");
  auto chunk = Chunk::decode(std::move(**bytes));
  if (!chunk) return tl::unexpected(name_key(chunk.error(), queue, first));
  cache_.put(queue, first, *chunk);
  return chunk;
}

ChunkLoader::LoadedChunks ChunkLoader::load_each(QueueId queue, std::span<const MessageRef> messages,
                                                 GroupNumber written, std::optional<GroupNumber> before) {
  // A message can leave before the group that wrote it is committed. Its body is read after that.
  if (const auto committed = pipeline_.wait(std::max(written, before.value_or(written))); !committed) {
    return LoadedChunks(messages.size(), tl::unexpected(committed.error()));
  }
  LoadedChunks chunks;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    // A chunk that cannot be read is not in the cache, so messages of one chunk, which are neighbours here,
    // share one attempt.
    if (i > 0 && messages[i].chunk == messages[i - 1].chunk) {
      chunks.push_back(chunks.back());
      continue;
    }
    if (bytes >= kStepBytes) break;
    const auto& chunk = chunks.emplace_back(load(queue, messages[i].chunk));
    if (chunk) bytes += (*chunk)->bytes().size();
  }
  return chunks;
}

Result<void> ChunkLoader::load_contents(Queue& queue, std::span<const Seq> chunks, GroupNumber written) {
  if (auto ok = pipeline_.wait(written); !ok) return ok;
  for (const Seq first : chunks) {
    auto chunk = load(queue.id, first);
    const bool found = chunk || chunk.error().code != ErrorCode::kMessageNotFound;
    if (!chunk && found) return tl::unexpected(chunk.error());
    const LockedQueue locked(pipeline_.gate(), queue);
    if (found) {
      queue.state.of(first).set_contents(first, (*chunk)->sent_at(), (*chunk)->groups());
    } else if (queue.state.of(first).states().order().is_unread(first)) {
      // If the chunk is no longer unread, somebody else, or a purge, was faster.
      return fail(ErrorCode::kCorruption, "a chunk of queue '" + queue.name + "' is missing in the store");
    }
  }
  return {};
}

Result<void> ChunkLoader::load_ahead(Queue& queue, Seq from) {
  Seq end{};
  GroupNumber in_flight{};
  std::vector<Seq> unread;
  bool grouped = false;
  {
    const LockedQueue locked(pipeline_.gate(), queue);
    end = queue.chunks.committed_end(pipeline_, from);
    in_flight = queue.chunks.last_group(pipeline_);
    unread = queue.state.unread(ChunkLog::kAheadChunks);
    grouped = queue.state.grouping() != Grouping::kNone;
  }
  if (!unread.empty()) return load_contents(queue, unread, in_flight);
  if (end <= from) return pipeline_.wait(in_flight);
  const ChunkReading reading(pipeline_, queue);
  if (auto ok = reading.wait(); !ok) return ok;

  const auto ahead = read_ahead(queue.id, from, end, grouped);
  if (!ahead) return tl::unexpected(ahead.error());
  const LockedQueue locked(pipeline_.gate(), queue);
  queue.state.of(from).add_ahead(from, ahead->spans, ahead->end);
  return {};
}

Result<ChunkLoader::Ahead> ChunkLoader::read_ahead(QueueId queue, Seq from, Seq end, bool grouped) {
  Ahead ahead{.end = end};
  const auto cut = [&] { ahead.end = ahead.spans.back().first + ahead.spans.back().count; };
  Result<void> read;
  std::size_t bytes = 0;
  const auto scan = store_.scan(Family::kMessages, keys::queue_seq(queue, from), keys::queue_seq(queue, end));
  for (; scan->valid(); scan->next()) {
    if (ahead.spans.size() == ChunkLog::kAheadChunks || bytes > kLoadBytes) {
      cut();
      break;
    }
    const auto key = keys::parse_queue_seq(scan->key());
    if (!key) {
      read = fail(ErrorCode::kCorruption, "a key of messages does not decode");
      break;
    }
    auto chunk = Chunk::decode(std::string(scan->value()));
    if (!chunk) {
      read = tl::unexpected(name_key(chunk.error(), queue, key->seq));
      break;
    }
    bytes += (*chunk)->bytes().size();
    ChunkSpan& span = ahead.spans.emplace_back((*chunk)->span_at(key->seq));
    span.sent_at = (*chunk)->sent_at();
    if (grouped) span.groups = (*chunk)->groups();
    cache_.put(queue, key->seq, std::move(*chunk));
  }
  if (read) read = scan->status();
  if (!read && ahead.spans.empty()) return tl::unexpected(read.error());
  // The messages before the damage are handed out. The next load begins at the damage, and reports it.
  if (!read) cut();
  return ahead;
}

}  // namespace holdfast
