#include "engine/verify/verify.h"

#include <vector>

#include "engine/codec/rows/delivery_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/stoppable_reader.h"

namespace holdfast {
namespace verify {
namespace {

// States has the rows of `deliveries` of one queue. They are asked for in ascending order.
class States {
 public:
  States(const Facts& facts, const QueueFacts& queue, Findings& findings)
      : queue_(queue),
        findings_(findings),
        rows_(facts.reader.scan(Family::kDeliveries, keys::queue_seq(queue.id, Seq{0}),
                                keys::queue_end(queue.id))) {}

  std::optional<ChunkState> take(Seq first) {
    report_before(first);
    const auto key = rows_->valid() ? keys::parse_queue_seq(rows_->key()) : std::nullopt;
    if (!key || key->seq != first) return std::nullopt;
    auto state = decode_delivery_row(rows_->value());
    rows_->next();
    if (state) return std::move(*state);
    findings_.add("undecodable", place("deliveries", queue_.name, queue_.id, first), state.error().message);
    return std::nullopt;
  }

  void end() {
    report_before(Seq{UINT64_MAX});
    if (const auto status = rows_->status(); !status) {
      findings_.add("unreadable", place("deliveries", queue_.name, queue_.id), status.error().message);
    }
  }

 private:
  void report_before(Seq seq) {
    for (; rows_->valid(); rows_->next()) {
      const auto key = keys::parse_queue_seq(rows_->key());
      if (!key) {
        findings_.add("undecodable", place("deliveries", queue_.name, queue_.id), "a key");
        continue;
      }
      if (key->seq >= seq) return;
      findings_.add("chunk_missing", place("deliveries", queue_.name, queue_.id, key->seq),
                    "the row has no chunk in messages");
    }
  }

  const QueueFacts& queue_;
  Findings& findings_;
  const std::unique_ptr<Scan> rows_;
};

void walk_queue(const Facts& facts, const QueueFacts& queue, VerifyReport& report, Findings& findings) {
  std::vector<std::unique_ptr<QueueCheck>> checks;
  for (const MakeQueueCheck make : queue_checks()) checks.push_back(make(facts, queue, findings));
  States states(facts, queue, findings);
  const auto scan =
      facts.reader.scan(Family::kMessages, keys::queue_seq(queue.id, Seq{0}), keys::queue_end(queue.id));
  for (; scan->valid(); scan->next()) {
    const auto key = keys::parse_queue_seq(scan->key());
    if (!key) {
      findings.add("undecodable", place("messages", queue.name, queue.id), "a key");
      continue;
    }
    auto chunk = Chunk::decode(std::string(scan->value()));
    const StoredChunk stored{key->seq, chunk ? std::move(*chunk) : nullptr, states.take(key->seq)};
    ++report.chunks;
    if (stored.chunk == nullptr) {
      findings.add("undecodable", place("messages", queue.name, queue.id, key->seq), chunk.error().message);
      continue;
    }
    report.messages += stored.chunk->count() - (stored.state ? stored.state->done : 0);
    for (const auto& check : checks) check->chunk(stored);
  }
  if (const auto status = scan->status(); !status) {
    findings.add("unreadable", place("messages", queue.name, queue.id), status.error().message);
  }
  if (queue.checkpoint) report.messages += queue.checkpoint->scheduled;  // check_scheduled() counts them
  states.end();
  for (const auto& check : checks) check->end();
}

}  // namespace
}  // namespace verify

VerifyReport verify_store(const Reader& reader) {
  VerifyReport report;
  verify::Findings findings(report.findings, report.found);
  const verify::Facts facts = verify::read_facts(reader, findings);
  report.queues = facts.queues.size();
  for (const auto check : verify::store_checks()) check(facts, findings);
  for (const auto& [id, queue] : facts.queues) verify::walk_queue(facts, queue, report, findings);
  return report;
}

Result<VerifyReport> verify_store(const Reader& reader, const std::atomic<bool>& stop) {
  VerifyReport report = verify_store(verify::StoppableReader(reader, stop));
  // The report then has findings that are due to the stop alone.
  if (stop) return fail(ErrorCode::kClosed, "the engine is closing; not everything was looked at");
  return report;
}

}  // namespace holdfast
