#include "base/validate.h"
#include "codec/carried.h"
#include "core/seq_math.h"
#include "holdfast/limits.h"
#include "runtime/engine_impl.h"
#include "runtime/redact.h"

namespace holdfast {
namespace {

// One page under way.
class Page {
 public:
  explicit Page(const PeekOptions& options) : options_(options) {}

  // Whether the next message is to be looked at; else the page ends before it.
  bool goes_on() const {
    return result_.items.size() < options_.max && looked_at_ < limits::kPeekScan && !full_;
  }
  void look() { ++looked_at_; }
  // Null if it is not what is looked for, or (full) if it has to wait for the next page.
  PeekedMessage* add(const MessageView& message) {
    if (options_.id && message.id != *options_.id) return nullptr;
    const std::size_t bytes = options_.bodies ? message.bytes() : 0;
    full_ = !result_.items.empty() && bytes_ + bytes > limits::kBatchBytes;
    if (full_) return nullptr;
    bytes_ += bytes;
    PeekedMessage& item = result_.items.emplace_back();
    item.id = message.id;
    item.sent_at = message.sent_at;
    if (message.expires_at != kNever) item.expires_at = message.expires_at;
    item.replays = message.lineage.replays;
    if (!options_.bodies) return &item;
    item.body = message.body;
    item.attributes = message.attributes();
    redact(item, options_.redact);
    return &item;
  }
  bool full() const { return full_; }
  // There is one of an id.
  bool found() const { return options_.id && !result_.items.empty(); }
  PeekPage& result() { return result_; }

 private:
  const PeekOptions& options_;
  PeekPage result_;
  std::size_t looked_at_ = 0;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

// Messages in the log.
class LogPeek {
 public:
  LogPeek(Engine::Impl& engine, Queue& queue, const PeekOptions& options)
      : engine_(engine),
        queue_(queue),
        reading_(engine.pipeline, queue),
        from_(options.from.value_or(Seq{0})),
        page_(options) {}

  Result<PeekPage> run() {
    if (auto ok = reading_.wait(); !ok) return tl::unexpected(ok.error());
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
      if (!look_at(key->seq, **chunk)) return std::move(page_.result());
    }
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return std::move(page_.result());
  }

 private:
  // False once the page is complete.
  bool look_at(Seq first, const Chunk& chunk) {
    const LockedQueue locked(engine_.pipeline.gate(), queue_);
    for (std::uint32_t i = 0; i < chunk.count(); ++i) {
      const Seq seq = first + i;
      if (seq < from_) continue;
      if (page_.goes_on()) {
        page_.look();
        if (const auto glimpse = queue_.state.peek(seq)) take(seq, *glimpse, chunk.message(i));
        if (page_.found()) return false;
        if (!page_.full()) continue;
      }
      page_.result().next = seq;
      return false;
    }
    return true;
  }

  void take(Seq seq, const Glimpse& glimpse, const MessageView& message) {
    PeekedMessage* const item = page_.add(message);
    if (item == nullptr) return;
    item->seq = seq;
    item->state = glimpse.state;
    item->due = glimpse.due;
    item->deliveries = glimpse.deliveries;
  }

  Engine::Impl& engine_;
  Queue& queue_;
  const ChunkReading reading_;
  const Seq from_;
  Page page_;
};

// Messages that wait outside the log.
class ScheduledPeek {
 public:
  ScheduledPeek(Engine::Impl& engine, const Queue& queue, const PeekOptions& options)
      : engine_(engine),
        queue_(queue),
        from_(options.from_scheduled.value_or(ScheduledPlace{})),
        page_(options) {}

  Result<PeekPage> run() {
    const auto scan =
        engine_.store->scan(Family::kVisibility, keys::scheduled(queue_.id, {from_.due, Ticket{from_.row}}),
                            keys::scheduled_end(queue_.id));
    for (; scan->valid(); scan->next()) {
      const auto place = keys::parse_scheduled(scan->key());
      if (!place) return fail(ErrorCode::kCorruption, "a key of visibility does not decode");
      const auto row = Chunk::decode(std::string(scan->value()));
      if (!row) return tl::unexpected(row.error());
      if (!look_at(*place, **row)) return std::move(page_.result());
    }
    if (auto status = scan->status(); !status) return tl::unexpected(status.error());
    return std::move(page_.result());
  }

 private:
  // False once the page is complete.
  bool look_at(const SchedulePlace& row, const Chunk& chunk) {
    for (std::uint32_t i = 0; i < chunk.count(); ++i) {
      const ScheduledPlace place{row.visible_at, static_cast<std::uint64_t>(row.ticket), i};
      if (place < from_) continue;
      if (page_.goes_on()) {
        page_.look();
        take(place, chunk.message(i));
        if (page_.found()) return false;
        if (!page_.full()) continue;
      }
      page_.result().next_scheduled = place;
      return false;
    }
    return true;
  }

  void take(const ScheduledPlace& place, const MessageView& message) {
    PeekedMessage* const item = page_.add(message);
    if (item == nullptr) return;
    item->scheduled = place;
    item->state = MessageState::kWaiting;
    item->due = place.due;
    if (!message.carried.empty()) item->deliveries = decode_carried(message.carried).history.deliveries;
  }

  Engine::Impl& engine_;
  const Queue& queue_;
  const ScheduledPlace from_;
  Page page_;
};

Result<void> validate(const PeekOptions& options) {
  if (options.max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (options.max > limits::kListPage) {
    return fail(ErrorCode::kLimitExceeded, "max is " + std::to_string(options.max) + ", the limit is " +
                                               std::to_string(limits::kListPage));
  }
  if (options.scheduled && options.from) {
    return fail(ErrorCode::kInvalidArgument,
                "from is a place in the log; of scheduled messages it is from_scheduled");
  }
  if (!options.scheduled && options.from_scheduled) {
    return fail(ErrorCode::kInvalidArgument, "from_scheduled is set, but not scheduled");
  }
  return validate(options.redact);
}

}  // namespace

Result<PeekPage> Engine::peek(std::string_view queue_name, PeekOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  if (options.scheduled) return ScheduledPeek(*impl_, **queue, options).run();
  return LogPeek(*impl_, **queue, options).run();
}

}  // namespace holdfast
