#include "core/seq_math.h"
#include "holdfast/limits.h"
#include "runtime/engine_impl.h"

namespace holdfast {
namespace {

constexpr std::size_t kLargestMessage = limits::kBodyBytes + limits::kAttributesTotalBytes;

// One page under way.
class Peek {
 public:
  Peek(Engine::Impl& engine, Queue& queue, const PeekOptions& options)
      : engine_(engine), queue_(queue), options_(options), from_(options.from.value_or(Seq{0})) {}

  Result<PeekPage> run() {
    // The chunk that `from` lies in may begin before it.
    const auto number = static_cast<std::uint64_t>(from_);
    const Seq begin{number - std::min<std::uint64_t>(number, limits::kChunkMessages - 1)};
    const auto scan =
        engine_.store->scan(Family::kMessages, keys::queue_seq(queue_.id, begin), keys::queue_end(queue_.id));
    for (; scan->valid(); scan->next()) {
      const auto key = keys::parse_queue_seq(scan->key());
      if (!key) return fail(ErrorCode::kCorruption, "a key of messages does not decode");
      auto chunk = Chunk::decode(std::string(scan->value()));
      if (!chunk) return tl::unexpected(chunk.error());
      if (!look_at(key->seq, **chunk)) return std::move(page_);
    }
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return std::move(page_);
  }

 private:
  // False once the page is complete.
  bool look_at(Seq first, const Chunk& chunk) {
    const LockedQueue locked(engine_.pipeline.gate(), queue_);
    for (std::uint32_t i = 0; i < chunk.count(); ++i) {
      const Seq seq = first + i;
      if (seq < from_) continue;
      if (page_.items.size() == options_.max || looked_at_ == limits::kPeekScan ||
          bytes_ + kLargestMessage > limits::kBatchBytes) {
        page_.next = seq;
        return false;
      }
      ++looked_at_;
      const auto glimpse = queue_.state.peek(seq);
      if (glimpse && !take(seq, *glimpse, chunk.message(i))) return false;
    }
    return true;
  }

  bool take(Seq seq, const Glimpse& glimpse, const MessageView& message) {
    if (options_.id && message.id != *options_.id) return true;
    PeekedMessage& item = page_.items.emplace_back();
    item.seq = seq;
    item.id = message.id;
    item.state = glimpse.state;
    item.sent_at = message.sent_at;
    item.due = glimpse.due;
    if (message.expires_at != kNever) item.expires_at = message.expires_at;
    item.deliveries = glimpse.deliveries;
    item.replays = message.lineage.replays;
    if (options_.bodies) {
      item.body = message.body;
      item.attributes = message.attributes();
      bytes_ += message.body.size() + message.attribute_bytes.size();
    }
    return !options_.id;  // there is one of an id
  }

  Engine::Impl& engine_;
  Queue& queue_;
  const PeekOptions& options_;
  const Seq from_;
  PeekPage page_;
  std::size_t looked_at_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<PeekPage> Engine::peek(std::string_view queue_name, PeekOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  if (options.max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (options.max > limits::kListPage) {
    return fail(ErrorCode::kLimitExceeded, "max is " + std::to_string(options.max) + ", the limit is " +
                                               std::to_string(limits::kListPage));
  }
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  return Peek(*impl_, **queue, options).run();
}

}  // namespace holdfast
