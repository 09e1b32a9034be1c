#include "codec/failure_record.h"
#include "core/seq_math.h"
#include "holdfast/limits.h"
#include "runtime/engine_impl.h"

namespace holdfast {
namespace {

Result<void> add_body(Engine::Impl& engine, QueueId queue, std::uint32_t chunk_index, DeadLetter& letter) {
  const Seq first{static_cast<std::uint64_t>(letter.seq) - chunk_index};
  auto chunk = engine.load_chunk(queue, first);
  if (!chunk) return tl::unexpected(chunk.error());
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
  if (options.max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (options.max > limits::kListPage) {
    return fail(ErrorCode::kLimitExceeded, "max is " + std::to_string(options.max) + ", the limit is " +
                                               std::to_string(limits::kListPage));
  }
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());

  DeadLetterPage page;
  const QueueId id = (*queue)->id;
  const Seq begin = options.after ? *options.after + 1 : Seq{0};
  const auto scan = impl_->store->scan(Family::kDeadLetters, keys::queue_seq(id, begin), keys::queue_end(id));
  for (; scan->valid(); scan->next()) {
    const auto key = keys::parse_queue_seq(scan->key());
    auto row = decode_dead_letter_row(scan->value());
    if (!key || !row) return fail(ErrorCode::kCorruption, "a failure record does not decode");
    if (options.category && row->record.category != *options.category) continue;
    if (page.items.size() == options.max) {
      page.next = page.items.back().seq;
      return page;
    }
    DeadLetter letter{.seq = key->seq, .record = std::move(row->record), .body = {}, .attributes = {}};
    if (options.bodies) {
      auto ok = add_body(*impl_, id, row->chunk_index, letter);
      // Settled since the scan began: it is not a dead letter any more.
      if (!ok && ok.error().code == ErrorCode::kMessageNotFound) continue;
      if (!ok) return tl::unexpected(ok.error());
    }
    page.items.push_back(std::move(letter));
  }
  if (auto status = scan->status(); !status) return tl::unexpected(status.error());
  return page;
}

}  // namespace holdfast
