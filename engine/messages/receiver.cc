#include "engine/messages/receiver.h"

#include <algorithm>
#include <utility>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/core/seq_math.h"
#include "engine/messages/kept.h"
#include "engine/messages/leasing.h"

namespace holdfast {
namespace {

// A receive of which nothing can be read takes so many more batches: what is left of a few chunks, message
// by message.
constexpr int kMoreBatches = 1024;

// Fills in a delivery, in its place in the list: it is too large to be moved there for every message.
void fill(Delivery& delivery, const Receipt& receipt, const std::shared_ptr<const Chunk>& chunk,
          const Grant& grant, const LeaseTerms& terms, Timestamp time) {
  const MessageView message = chunk->message(grant.index);
  delivery.receipt = receipt;
  delivery.id = message.id;
  delivery.body = message.body;
  delivery.attributes = message.attributes();
  delivery.group = message.group;
  delivery.priority = message.priority;
  delivery.sent_at = message.sent_at;
  delivery.lease_expires_at = terms.until;
  delivery.lease_left = std::max(Duration{0}, terms.until - time);
  delivery.deliveries = grant.deliveries;
  delivery.replays = message.lineage.replays;
  delivery.storage = chunk;
}

// The encoded failure records of one batch may have this many bytes. A record has at most a few hundred KiB,
// and a batch may have thousands of messages.
constexpr std::size_t kRecordBytes = 16 << 20;

// Adds to a dead letter why it died, and to `bytes` the size of that. Adds nothing if the dead letter was
// settled meanwhile.
Result<void> tell_failure(const Store& store, const Chunk& chunk, Delivery& delivery, std::size_t& bytes) {
  if (chunk.kind() != ChunkKind::kDeadLetters) return {};
  const Receipt& receipt = delivery.receipt;
  const auto row = store.get(Family::kDeadLetters, keys::dead_letter(receipt.queue, {.seq = receipt.seq}));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return {};
  auto decoded = decode_dead_letter_row(**row);
  if (!decoded) return tl::unexpected(decoded.error());
  delivery.failure = std::make_shared<const FailureRecord>(std::move(decoded->record));
  bytes += (*row)->size();
  return {};
}

bool is_ordered(CommitPipeline& pipeline, Queue& queue) {
  const LockedQueue locked(pipeline.gate(), queue);
  return queue.state.grouping() == Grouping::kOrdered;
}

}  // namespace

Result<Receiver::Received> Receiver::lease_batch(const std::shared_ptr<Queue>& queue,
                                                 const ReceiveRequest& request, LeasedBatch batch,
                                                 const std::function<Waiter()>& make_waiter) {
  return Leasing(engine_, dispatcher_, mover_, expirer_, queue, request, std::move(batch)).run(make_waiter);
}

bool Receiver::is_cached(QueueId queue, const LeasedBatch& batch) {
  Seq checked{};
  return std::ranges::all_of(batch.grants, [&](const Grant& grant) {
    if (grant.chunk == checked) return true;
    checked = grant.chunk;
    const auto chunk = engine_.cache.get(queue, grant.chunk);
    // Records of dead letters are in the store.
    return chunk != nullptr && chunk->kind() != ChunkKind::kDeadLetters;
  });
}

void Receiver::give_back(std::span<const Receipt> receipts, std::optional<Duration> delay) {
  if (receipts.empty()) return;
  // The outcome does not matter, since the leases run out anyway.
  (void)releaser_.release(receipts, {.delay = delay, .charge = false});
}

std::optional<Error> Receiver::why_unread(Queue& queue, const Receipt& receipt, const Error& error) {
  if (error.code != ErrorCode::kMessageNotFound) return error;
  // Either a purge came between the commit and now, so there is nothing to deliver; or the store has lost the
  // chunk.
  const LockedQueue locked(engine_.pipeline.gate(), queue);
  if (queue.state.of(receipt.seq).window().check(receipt.seq, receipt.lease) != ReceiptCheck::kValid)
    return std::nullopt;
  return Error{ErrorCode::kCorruption, "a chunk of queue '" + queue.name + "' is missing in the store"};
}

Result<std::shared_ptr<const Chunk>> Receiver::load_once(QueueId queue, Seq first, UnreadChunks& tried) {
  if (const auto known = tried.find(first); known != tried.end()) return tl::unexpected(known->second);
  auto chunk = engine_.chunk_loader.load(queue, first);
  if (!chunk) tried.emplace(first, chunk.error());
  return chunk;
}

Result<Deliveries> Receiver::assemble(Queue& queue, const LeasedBatch& batch, UnreadChunks& tried) {
  Deliveries deliveries;
  if (batch.grants.empty()) return deliveries;  // the queue may have no recorder yet
  const Timestamp time = engine_.now();
  LatencyRecorder::Run latency(queue.latency_recorder());
  deliveries.reserve(batch.grants.size());
  Result<std::shared_ptr<const Chunk>> chunk;
  Seq first{};
  Result<void> read;  // the first error
  std::vector<Receipt> unread;
  std::vector<Receipt> unseen;
  std::size_t record_bytes = 0;
  // Messages behind an unread one may be of its group. Those of a chunk that cannot be read are unread too.
  bool holds_up = false;
  const auto put_off = [&](const Receipt& receipt, const Error& error) {
    if (read) read = tl::unexpected(error);
    unread.push_back(receipt);
    holds_up = holds_up || is_ordered(engine_.pipeline, queue);
  };
  for (const Grant& grant : batch.grants) {
    const Receipt receipt{queue.id, grant.chunk + grant.index, batch.terms.id};
    if (holds_up && (grant.chunk != first || chunk)) {
      unseen.push_back(receipt);
      continue;
    }
    if (grant.chunk != first) chunk = load_once(queue.id, grant.chunk, tried);
    first = grant.chunk;
    if (!chunk) {
      if (const auto error = why_unread(queue, receipt, chunk.error())) put_off(receipt, *error);
      continue;
    }
    // Somebody who was handed the message after this lease ran out has settled it.
    if (!(*chunk)->holds(grant.index)) continue;
    // A message that does not fit is given back, and comes with the next receive.
    if (record_bytes >= kRecordBytes) {
      unseen.push_back(receipt);
      continue;
    }
    Delivery& delivery = deliveries.emplace_back();
    fill(delivery, receipt, *chunk, grant, batch.terms, time);
    if (auto told = tell_failure(*engine_.store, **chunk, delivery, record_bytes); !told) {
      put_off(receipt, told.error());
      deliveries.pop_back();
      continue;
    }
    const Duration age = time - delivery.sent_at;
    latency.add(static_cast<std::uint64_t>(std::max<Duration::rep>(0, age.count())));
  }
  give_back(unread, EngineContext::kPauseAfterError);
  give_back(unseen, std::nullopt);
  if (deliveries.empty() && !read) return tl::unexpected(read.error());
  return deliveries;
}

Result<Deliveries> Receiver::deliver(const std::shared_ptr<Queue>& queue, ReceiveRequest request,
                                     const LeasedBatch& batch) {
  UnreadChunks tried;
  auto deliveries = assemble(*queue, batch, tried);
  if (deliveries) return deliveries;
  // Messages that cannot be read wait now, so the next batch gets behind them. A caller that had to ask again
  // might do so when their wait is over, and would never get there.
  request.wait = Duration{0};
  request.may_block = true;
  // Nobody cancels this part.
  request.token = 0;
  // After the pause, the first messages would come again.
  const Timestamp until = engine_.now() + EngineContext::kPauseAfterError;
  for (int i = 0; i < kMoreBatches && engine_.now() < until && !engine_.closing; ++i) {
    const auto next = lease_batch(queue, request, {}, [] { return Waiter{}; });
    if (!next || next->batch.grants.empty()) break;
    if (auto ok = engine_.pipeline.wait(next->batch.group); !ok) return tl::unexpected(ok.error());
    auto readable = assemble(*queue, next->batch, tried);
    if (readable && !readable->empty()) return readable;
  }
  // The release is committed, because the error says that nothing was charged, and a crash would charge it
  // otherwise.
  if (auto ok = engine_.pipeline.wait(engine_.pipeline.open_group()); !ok) return tl::unexpected(ok.error());
  return deliveries;
}

void Receiver::finish_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                              Result<LeasedBatch> batch, ReceiveCallback done) {
  const bool any = batch && !batch->grants.empty();
  const GroupNumber group = any ? batch->group : engine_.pipeline.open_group();
  if (!batch) {
    // The error may say that the queue was deleted. If that could not be written, the queue may be there
    // still.
    engine_.pipeline.on_commit(
        group, [done = std::move(done), error = batch.error()](const Result<void>& committed) {
          done(tl::unexpected(committed ? error : committed.error()));
        });
    return;
  }
  engine_.pipeline.on_commit(group, [this, queue, request, done = std::move(done),
                                     leased = std::make_shared<LeasedBatch>(std::move(*batch))](
                                        const Result<void>& committed) {
    if (!committed) return done(tl::unexpected(committed.error()));
    if (!leased->grants.empty()) check_committed(engine_.pipeline, leased->group);
    if (is_cached(queue->id, *leased)) {
      UnreadChunks none;
      return done(assemble(*queue, *leased, none));
    }
    engine_.background.post([this, queue, request, done, leased] { done(deliver(queue, request, *leased)); });
  });
}

bool Receiver::start_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                             LeasedBatch batch, ReceiveCallback done) {
  auto received = lease_batch(queue, request, std::move(batch), [&] {
    Waiter waiter;
    waiter.token = request.token;
    // The pointer is weak, since the waiter belongs to the queue. The queue is alive when it resolves its
    // waiter.
    waiter.resolve = [this, weak = std::weak_ptr(queue), request, done](Result<LeasedBatch> result) {
      finish_receive(weak.lock(), request, std::move(result), done);
    };
    return waiter;
  });
  // An error waits for the open group too: a receive says that the queue was deleted only after the deletion
  // is committed.
  if (!received) {
    finish_receive(queue, request, tl::unexpected(received.error()), std::move(done));
    return false;
  }
  switch (received->state) {
    case Received::State::kDone:
      finish_receive(queue, request, std::move(received->batch), std::move(done));
      return false;
    case Received::State::kWaiting:
      return false;
    case Received::State::kMustLoad:
      break;
  }
  // The batch is shared, since a function object must be copyable.
  engine_.background.post([this, queue, request = request, done = std::move(done),
                           so_far = std::make_shared<LeasedBatch>(std::move(received->batch))]() mutable {
    request.may_block = true;
    go_on_receiving(queue, request, std::move(*so_far), std::move(done));
  });
  return true;
}

void Receiver::go_on_receiving(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                               LeasedBatch so_far, ReceiveCallback done) {
  const auto call = engine_.calls.begin();
  if (!call && so_far.grants.empty()) return done(tl::unexpected(call.error()));
  // What was granted before is delivered, since its lease has started.
  if (!call) return finish_receive(queue, request, std::move(so_far), std::move(done));
  if (start_receive(queue, request, std::move(so_far), std::move(done))) return;
  const LockedQueue locked(engine_.pipeline.gate(), *queue);
  queue->waiters.end_loading(request.token);
}

}  // namespace holdfast
