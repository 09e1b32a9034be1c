#include "engine/queue/failures.h"

#include <utility>

#include "engine/base/helpers/lease_reason.h"
#include "engine/codec/dead_letters/attempts_codec.h"
#include "engine/codec/dead_letters/failure.h"
#include "engine/codec/encoding/keys.h"

namespace holdfast {
namespace {

// Returns the number of an attempt, counted from the first failure of the message's life.
std::uint64_t number_of(const AttemptNotes& notes, std::size_t index) {
  return index < limits::kFirstAttempts ? index : index + std::uint64_t{notes.left_out};
}

Result<Failure> read_one(const Store& store, QueueId queue, const FailurePlace& place) {
  const auto row = store.get(Family::kScheduled, keys::failure(queue, place));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return Failure{};  // the row was lost, and the directory was salvaged
  auto failure = decode_failure(**row);
  if (!failure) return fail(ErrorCode::kCorruption, "what was said of a failure does not decode");
  return *std::move(failure);
}

}  // namespace

ToldFailures look_at_failures(const Queue& queue, Seq seq) {
  FailureHistory history = queue.state.of(seq).window().history(seq);
  ToldFailures told{
      .seq = seq, .notes = std::move(history.attempts), .described = history.described, .home = history.home};
  if (!told.notes || told.described == 0) return told;
  told.said.resize(told.notes->kept.size());
  for (std::size_t i = 0; i < told.said.size(); ++i) {
    const auto row = queue.failures.said({told.home, failure_slot_of_kept(*told.notes, i)});
    if (row) told.said[i] = decode_failure(*row).value_or(Failure{});
  }
  return told;
}

bool is_current(const Queue& queue, const ToldFailures& told) {
  return queue.state.of(told.seq).window().history(told.seq).attempts == told.notes;
}

std::size_t read_failures(const Store& store, QueueId queue, ToldFailures& told) {
  if (told.described == 0 || !told.notes) return 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < told.said.size(); ++i) {
    const std::size_t slot = failure_slot_of_kept(*told.notes, i);
    if ((told.described >> slot & 1U) != 0 && told.said[i].empty()) {
      auto said = read_one(store, queue, {told.home, slot});
      if (!said) {
        told.read = tl::unexpected(said.error());
        return bytes;
      }
      told.said[i] = *std::move(said);
    }
    bytes += byte_size(told.said[i]);
  }
  return bytes;
}

Failure last_failure(const ToldFailures& told) {
  if (!told.notes) return {};
  if (!told.said.empty() && !told.said.back().empty()) return told.said.back();
  const AttemptNote& last = told.notes->kept.back();
  if (last.end != AttemptEnd::kLeaseExpired) return {};
  return {.reason = lease_reason(last.consumer, last.held_ms, last.extended)};
}

AttemptHistory attempts_of(const AttemptNotes& now, const ToldFailures& told) {
  AttemptHistory attempts = history_of(now);
  if (told.said.empty()) return attempts;
  for (std::size_t i = 0; i + 1 < attempts.kept.size(); ++i) {
    const std::uint64_t number = number_of(now, i);
    const std::uint64_t then = number < limits::kFirstAttempts ? number : number - told.notes->left_out;
    if (then < told.said.size()) attempts.kept[i].failure = bounded_attempt_failure(told.said[then]);
  }
  return attempts;
}

AttemptHistory all_attempts_of(const ToldFailures& told) {
  AttemptHistory attempts = history_of(*told.notes);
  for (std::size_t i = 0; i < told.said.size(); ++i)
    attempts.kept[i].failure = bounded_attempt_failure(told.said[i]);
  return attempts;
}

FailureRecord record_of(DeathCause cause, Failure failure) {
  FailureRecord record;
  record.cause = cause;
  record.category = std::move(failure.category);
  record.reason = std::move(failure.reason);
  record.code = std::move(failure.code);
  record.stack_trace = std::move(failure.stack_trace);
  record.causes = std::move(failure.causes);
  record.partial_output = std::move(failure.partial_output);
  return record;
}

std::shared_ptr<const std::string> encode_said(const Failure& failure) {
  if (failure.empty()) return nullptr;
  return std::make_shared<const std::string>(encode_failure(bounded_failure(failure)));
}

}  // namespace holdfast
