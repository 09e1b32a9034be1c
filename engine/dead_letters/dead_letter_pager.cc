#include "engine/dead_letters/dead_letter_pager.h"

#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/failures_since.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/services/redact.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

Result<void> add_body(EngineContext& engine, QueueId queue, std::uint32_t chunk_index, DeadLetter& letter) {
  const Seq first{static_cast<std::uint64_t>(letter.seq) - chunk_index};
  auto chunk = engine.chunk_loader.load(queue, first);
  if (!chunk) return tl::unexpected(chunk.error());
  if (!(*chunk)->holds(chunk_index)) return fail(ErrorCode::kMessageNotFound, "the message is gone");
  const MessageView message = (*chunk)->message(chunk_index);
  letter.body = message.body;
  letter.attributes = message.attributes();
  return {};
}

}  // namespace

bool DeadLetterPager::full() const {
  return taken_ >= max_ || bytes_ >= limits::kBatchBytes || cost_.records >= limits::kListExamined ||
         cost_.bytes >= limits::kScannedBytes;
}

Result<DeadLetterPager::End> DeadLetterPager::add(QueueId queue, const DeadLetterFilter& filter,
                                                  const std::optional<DeadLetterCursor>& after,
                                                  bool newest_first) {
  Result<void> read;
  bool stopped = false;
  cost_.scanned = false;
  const WalkOptions options{.after = after,
                            .newest_first = newest_first,
                            .examine = limits::kListExamined - cost_.records,
                            .bytes = limits::kScannedBytes - cost_.bytes,
                            .cost = &cost_};
  const auto rest = walk_dead_letters(*engine_.store, queue, filter, options,
                                      [&](const DeadLetterCursor& place, DeadLetterRow& row) {
                                        const auto walk = visit(queue, place, row);
                                        if (!walk) read = tl::unexpected(walk.error());
                                        stopped = !walk || *walk == Walk::kStop;
                                        return stopped ? Walk::kStop : Walk::kOn;
                                      });
  if (!rest) return tl::unexpected(rest.error());
  if (!read) return tl::unexpected(read.error());
  return End{.whole = !stopped && !rest->has_value(), .after = *rest, .scanned = cost_.scanned};
}

Result<Walk> DeadLetterPager::visit(QueueId queue, const DeadLetterCursor& place, DeadLetterRow& row) {
  if (taken_ == max_) return Walk::kStop;
  const std::uint32_t chunk_index = row.chunk_index;
  const bool has_original = row.has_original;
  DeadLetter letter = view_of(place, std::move(row));
  if (bodies_) letter.without_body = false;
  std::size_t bytes = 0;
  if (bodies_ && !letter.history) {
    const auto read = add_body(engine_, queue, chunk_index, letter);
    // It was settled since the walk began, and is not a dead letter any more.
    if (!read && read.error().code == ErrorCode::kMessageNotFound) return Walk::kOn;
    if (!read) return tl::unexpected(read.error());
    bytes += byte_size(letter.body, letter.attributes);
  }
  if (auto ok = add_replay(*engine_.store, queue, letter); !ok) return tl::unexpected(ok.error());
  if (bodies_ && has_original) {
    if (auto ok = add_original(*engine_.store, queue, letter); !ok) return tl::unexpected(ok.error());
  }
  if (bodies_ && !letter.history) {
    if (auto ok = add_failures_since(engine_, queue, letter); !ok) return tl::unexpected(ok.error());
  }
  if (letter.original) bytes += byte_size(letter.original->body, letter.original->attributes);
  bytes_ += bytes;
  if (bytes_ > limits::kBatchBytes && taken_ > 0) return Walk::kStop;
  redact(letter, redact_);
  ++taken_;
  take_(std::move(letter));
  return Walk::kOn;
}

}  // namespace holdfast
