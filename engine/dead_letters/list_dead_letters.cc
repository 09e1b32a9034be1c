#include "engine/base/validation/validate.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/engine/engine_impl.h"
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

Result<DeadLetterPage> Engine::list_dead_letters(std::string_view queue_name,
                                                 ListDeadLettersOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_page(options.max); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(options.filter); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(options.redact); !ok) return tl::unexpected(ok.error());
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());

  const QueueId id = (*queue)->id;
  DeadLetterPage page{.items = {}, .next = {}, .time = impl_->now()};
  std::size_t bytes = 0;
  Result<void> read;
  auto rest = walk_dead_letters(
      *impl_->store, id, options.filter,
      {.after = options.after, .newest_first = options.newest_first, .examine = limits::kListExamined},
      [&](const DeadLetterCursor& place, DeadLetterRow& row) {
        if (page.items.size() == options.max) return Walk::kStop;
        const std::uint32_t chunk_index = row.chunk_index;
        const bool has_original = row.has_original;
        DeadLetter letter = view_of(place, std::move(row));
        if (options.bodies && !letter.history) {
          read = add_body(*impl_, id, chunk_index, letter);
          // Settled since the walk began: it is not a dead letter any more.
          if (!read && read.error().code == ErrorCode::kMessageNotFound) {
            read = {};
            return Walk::kOn;
          }
          if (!read) return Walk::kStop;
          bytes += byte_size(letter.body, letter.attributes);
        }
        read = add_replay(*impl_->store, id, letter);
        if (read && options.bodies && has_original) read = add_original(*impl_->store, id, letter);
        if (!read) return Walk::kStop;
        if (letter.original) bytes += byte_size(letter.original->body, letter.original->attributes);
        if (bytes > limits::kBatchBytes && !page.items.empty()) return Walk::kStop;
        redact(letter, options.redact);
        page.items.push_back(std::move(letter));
        return Walk::kOn;
      });
  if (!rest) return tl::unexpected(rest.error());
  if (!read) return tl::unexpected(read.error());
  page.next = *rest;
  return page;
}

}  // namespace holdfast
