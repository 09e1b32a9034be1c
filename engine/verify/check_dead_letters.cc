// Checks that every dead letter has its failure record and that every failure record has its dead letter,
// except records of history.
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/core/seq_math.h"
#include "engine/verify/checks.h"

namespace holdfast::verify {
namespace {

class DeadLetterCheck final : public QueueCheck {
 public:
  DeadLetterCheck(const Facts& facts, const QueueFacts& queue, Findings& findings)
      : queue_(queue),
        findings_(findings),
        records_(facts.reader.scan(Family::kDeadLetters, keys::queue_seq(queue.id, Seq{0}),
                                   keys::queue_end(queue.id))) {}

  void chunk(const StoredChunk& stored) override {
    if (stored.chunk->kind() != ChunkKind::kDeadLetters) return;
    for (std::uint32_t i = 0; i < stored.chunk->count(); ++i) {
      if (stored.state_of(i) != EntryState::kDone) dead_letter(stored, i);
    }
  }

  void end() override {
    report_records_before(Seq{UINT64_MAX});
    if (const auto status = records_->status(); !status) {
      findings_.add("unreadable", place("dead_letters", queue_.name, queue_.id), status.error().message);
    }
  }

 private:
  std::string here(Seq seq) const { return place("dead_letters", queue_.name, queue_.id, seq); }

  void dead_letter(const StoredChunk& stored, std::uint32_t index) {
    const Seq seq = stored.first + index;
    report_records_before(seq);
    const auto key = records_->valid() ? keys::parse_queue_seq(records_->key()) : std::nullopt;
    if (!key || key->seq != seq) {
      return findings_.add("record_missing", here(seq), "the dead letter has no failure record");
    }
    const auto row = decode_dead_letter_row(records_->value());
    records_->next();
    if (!row) return findings_.add("undecodable", here(seq), row.error().message);
    if (row->chunk_index != index) {
      findings_.add("record_mismatch", here(seq), "the record names another place in the chunk");
    }
    if (row->record.message_id != stored.chunk->message(index).id) {
      findings_.add("record_mismatch", here(seq), "the record is of another message");
    }
  }

  // Reports records before `seq` that no dead letter asked for.
  void report_records_before(Seq seq) {
    for (; records_->valid(); records_->next()) {
      const auto key = keys::parse_queue_seq(records_->key());
      if (!key) {
        findings_.add("undecodable", place("dead_letters", queue_.name, queue_.id), "a key");
        continue;
      }
      if (key->seq >= seq) return;
      findings_.add("record_stray", here(key->seq), "the record has no dead letter");
    }
  }

  const QueueFacts& queue_;
  Findings& findings_;
  const std::unique_ptr<Scan> records_;
};

}  // namespace

std::unique_ptr<QueueCheck> make_dead_letter_check(const Facts& facts, const QueueFacts& queue,
                                                   Findings& findings) {
  return std::make_unique<DeadLetterCheck>(facts, queue, findings);
}

}  // namespace holdfast::verify
