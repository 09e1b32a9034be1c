// Engine::peek shows messages without leasing them. It scans the stored rows, of the log or of the scheduled
// messages, and takes the queue's lock for one chunk of the log at a time to learn the messages' states. So a
// page is no snapshot of the queue.
#include <algorithm>

#include "engine/base/validation/validate.h"
#include "engine/codec/rows/carried.h"
#include "engine/context/deletion.h"
#include "engine/core/seq_math.h"
#include "engine/engine/engine_impl.h"
#include "engine/services/redact.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// A Page is filled with the messages that a peek returns.
class Page {
 public:
  explicit Page(const PeekOptions& options) : options_(options) {}

  // Returns whether the page goes on with the next message. If not, it ends before that message.
  bool goes_on() const {
    return result_.items.size() < options_.max && looked_at_ < limits::kPeekScan && !full_;
  }
  void look() { ++looked_at_; }
  // Returns null if it is not what is looked for, or (full) if it has to wait for the next page. `to_shown`
  // makes its times the engine's.
  PeekedMessage* add(const MessageView& message, Duration to_shown) {
    if (options_.id && message.id != *options_.id) return nullptr;
    const std::size_t bytes = options_.bodies ? message.bytes() : 0;
    full_ = !result_.items.empty() && bytes_ + bytes > limits::kBatchBytes;
    if (full_) return nullptr;
    bytes_ += bytes;
    PeekedMessage& item = result_.items.emplace_back();
    item.id = message.id;
    item.sent_at = message.sent_at;
    if (message.expires_at != kNever) item.expires_at = message.expires_at + to_shown;
    item.replays = message.lineage.replays;
    if (!options_.bodies) return &item;
    item.body = message.body;
    item.attributes = message.attributes();
    redact(item, options_.redact);
    return &item;
  }
  bool full() const { return full_; }
  // Returns whether the page has the message with the id that is looked for.
  bool found() const { return options_.id && !result_.items.empty(); }
  PeekPage& result() { return result_; }

 private:
  const PeekOptions& options_;
  PeekPage result_;
  std::size_t looked_at_ = 0;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

// Peeks at messages in the log.
class LogPeek {
 public:
  LogPeek(EngineContext& engine, Queue& queue, const PeekOptions& options)
      : engine_(engine),
        queue_(queue),
        reading_(engine.pipeline, queue),
        from_(options.from.value_or(Seq{0})),
        page_(options) {}

  Result<PeekPage> run() {
    if (auto ok = reading_.wait(); !ok) return tl::unexpected(ok.error());
    // The chunk that has `from` may begin before it.
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
  // Returns false once the page is complete.
  bool look_at(Seq first, const Chunk& chunk) {
    const LockedQueue locked(engine_.pipeline.gate(), queue_);
    for (std::uint32_t i = 0; i < chunk.count(); ++i) {
      const Seq seq = first + i;
      if (seq < from_) continue;
      if (page_.goes_on()) {
        page_.look();
        if (const auto status = queue_.state.of(seq).log().peek(seq)) take(seq, *status, chunk.message(i));
        if (page_.found()) return false;
        if (!page_.full()) continue;
      }
      page_.result().next = seq;
      return false;
    }
    return true;
  }

  void take(Seq seq, const MessageStatus& status, const MessageView& message) {
    PeekedMessage* const item = page_.add(message, -engine_.clock.ahead());
    if (item == nullptr) return;
    item->seq = seq;
    item->state = status.state;
    item->due = status.due;
    item->deliveries = status.deliveries;
  }

  EngineContext& engine_;
  Queue& queue_;
  const ChunkReading reading_;
  const Seq from_;
  Page page_;
};

// ScheduledRows has the rows of `scheduled` of one kind. A place that callers see has the engine's time, or
// the time of day. The top bit of its row tells the kinds apart, since no ticket is so large.
class ScheduledRows {
 public:
  ScheduledRows(EngineContext& engine, const Queue& queue, WaitsFor what, const ScheduledPlace& from)
      : to_shown_(what == WaitsFor::kDelay ? -engine.clock.ahead() : Duration{0}),
        kind_(what == WaitsFor::kDelay ? 0 : kTimeOfDayRow),
        scan_(engine.store->scan(
            Family::kScheduled,
            keys::scheduled(
                queue.id,
                {std::clamp(from.due, Timestamp{}, limits::kImportedTimeMax) - to_shown_, Ticket{0}, what}),
            keys::scheduled_end(queue.id, what))) {}

  bool valid() const { return scan_->valid(); }
  Result<void> status() const { return scan_->status(); }
  void next() { scan_->next(); }
  std::string_view value() const { return scan_->value(); }
  Duration to_shown() const { return to_shown_; }
  // Returns the place of the row's first message.
  Result<ScheduledPlace> place() const {
    const auto place = keys::parse_scheduled(scan_->key());
    if (!place) return fail(ErrorCode::kCorruption, "a key of scheduled does not decode");
    return ScheduledPlace{place->visible_at + to_shown_, static_cast<std::uint64_t>(place->ticket) | kind_,
                          0};
  }

 private:
  static constexpr std::uint64_t kTimeOfDayRow = std::uint64_t{1} << 63;

  const Duration to_shown_;
  const std::uint64_t kind_;
  const std::unique_ptr<Scan> scan_;
};

// Peeks at messages that wait outside the log.
class ScheduledPeek {
 public:
  ScheduledPeek(EngineContext& engine, const Queue& queue, const PeekOptions& options)
      : from_(options.from_scheduled.value_or(ScheduledPlace{})),
        delays_(engine, queue, WaitsFor::kDelay, from_),
        times_of_day_(engine, queue, WaitsFor::kTimeOfDay, from_),
        page_(options) {}

  Result<PeekPage> run() {
    for (;;) {
      const auto rows = soonest();
      if (!rows) return tl::unexpected(rows.error());
      if (*rows == nullptr) return std::move(page_.result());
      const auto row = Chunk::decode(std::string((*rows)->value()));
      if (!row) return tl::unexpected(row.error());
      if (!look_at(*(*rows)->place(), **row, (*rows)->to_shown())) return std::move(page_.result());
      (*rows)->next();
    }
  }

 private:
  // Returns the rows whose next message comes first, or null after the last message.
  Result<ScheduledRows*> soonest() {
    ScheduledRows* soonest = nullptr;
    ScheduledPlace first;
    for (ScheduledRows* rows : {&delays_, &times_of_day_}) {
      if (auto status = rows->status(); !status) return tl::unexpected(status.error());
      if (!rows->valid()) continue;
      const auto place = rows->place();
      if (!place) return tl::unexpected(place.error());
      if (soonest != nullptr && first < *place) continue;
      soonest = rows;
      first = *place;
    }
    return soonest;
  }

  // Returns false once the page is complete.
  bool look_at(ScheduledPlace place, const Chunk& chunk, Duration to_shown) {
    for (; place.index < chunk.count(); ++place.index) {
      if (place < from_) continue;
      if (page_.goes_on()) {
        page_.look();
        take(place, chunk.message(place.index), to_shown);
        if (page_.found()) return false;
        if (!page_.full()) continue;
      }
      page_.result().next_scheduled = place;
      return false;
    }
    return true;
  }

  void take(const ScheduledPlace& place, const MessageView& message, Duration to_shown) {
    PeekedMessage* const item = page_.add(message, to_shown);
    if (item == nullptr) return;
    item->scheduled = place;
    item->state = MessageState::kWaiting;
    item->due = place.due;
    if (!message.carried.empty()) item->deliveries = decode_carried(message.carried).history.deliveries;
  }

  const ScheduledPlace from_;
  ScheduledRows delays_;
  ScheduledRows times_of_day_;
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

Result<PeekPage> EngineMessageVerbs::peek(std::string_view queue_name, PeekOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  auto queue = impl_->catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());
  auto page = options.scheduled ? ScheduledPeek(*impl_, **queue, options).run()
                                : LogPeek(*impl_, **queue, options).run();
  return unless_deleted(impl_->pipeline, **queue, std::move(page));
}

}  // namespace holdfast
