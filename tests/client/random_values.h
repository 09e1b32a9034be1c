// Random values of the public types, for tests of what must come through unchanged.
#pragma once

#include <vector>

#include "holdfast/broker.h"
#include "tests/support/random.h"

namespace holdfast::testing {

inline std::string random_text(Random& random) { return random.bytes(random.below(20)); }
inline Duration random_duration(Random& random) {
  return Duration(static_cast<Duration::rep>(random.between(0, UINT64_MAX - 1)));
}
inline Timestamp random_time(Random& random) { return Timestamp(random_duration(random)); }

inline MessageId random_id(Random& random) {
  MessageId id;
  for (auto& byte : id.bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return id;
}

inline Receipt random_receipt(Random& random) {
  return {QueueId(random.between(0, UINT64_MAX - 1)), Seq(random.between(0, UINT64_MAX - 1)),
          LeaseId(random.between(0, UINT64_MAX - 1))};
}

inline Durability random_durability(Random& random) {
  return random.one_in(2) ? Durability::kFsync : Durability::kBuffered;
}

inline std::optional<Durability> random_choice(Random& random) {
  return random.one_in(2) ? std::optional(random_durability(random)) : std::nullopt;
}

inline Consumer random_consumer(Random& random) {
  return random.one_in(3) ? Consumer{} : Consumer{random_text(random), random_text(random)};
}

inline Rejection random_rejection(Random& random) {
  Rejection rejection{random_text(random), random_text(random), random_text(random), random_text(random)};
  rejection.causes.resize(random.below(3));
  for (auto& cause : rejection.causes) cause = {random_text(random), random_text(random)};
  rejection.partial_output = random_text(random);
  return rejection;
}

inline Attributes random_attributes(Random& random) {
  Attributes attributes(random.below(5));
  for (auto& attribute : attributes) attribute = {random_text(random), random_text(random)};
  return attributes;
}

inline Message random_message(Random& random) {
  Message message{.body = random_text(random), .attributes = random_attributes(random)};
  if (random.one_in(2)) message.delay = random_duration(random);
  if (random.one_in(2)) message.visible_at = random_time(random);
  message.group = random_text(random);
  message.priority = static_cast<std::uint32_t>(random.below(16));
  message.deduplication_id = random_text(random);
  if (random.one_in(2)) message.time_to_live = random_duration(random);
  return message;
}

inline Error random_error(Random& random) {
  const auto table = error_table();
  return {table[random.below(table.size())].code, random_text(random)};
}

inline std::optional<FirstDeath> random_first_death(Random& random) {
  if (random.one_in(2)) return std::nullopt;
  return FirstDeath{.cause = DeathCause::kExpired,
                    .category = random_text(random),
                    .reason = random_text(random),
                    .code = random_text(random),
                    .source_queue = random_text(random),
                    .died_at = random_time(random),
                    .fingerprint = Fingerprint{random.below(UINT64_MAX)}};
}

inline FailureRecord random_record(Random& random) {
  return {.message_id = random_id(random),
          .source_queue_id = random_receipt(random).queue,
          .source_queue = random_text(random),
          .source_seq = random_receipt(random).seq,
          .sent_at = random_time(random),
          .cause = random.one_in(3)   ? DeathCause::kMaxDeliveries
                   : random.one_in(2) ? DeathCause::kRejected
                   : random.one_in(2) ? DeathCause::kExpired
                   : random.one_in(2) ? DeathCause::kOverflow
                   : random.one_in(2) ? DeathCause::kSent
                                      : DeathCause::kRetryBudget,
          .category = random_text(random),
          .reason = random_text(random),
          .code = random_text(random),
          .stack_trace = random_text(random),
          .deliveries = static_cast<std::uint32_t>(random.below(UINT32_MAX)),
          .replays = static_cast<std::uint32_t>(random.below(UINT32_MAX)),
          .first_failed_at = random_time(random),
          .last_failed_at = random_time(random),
          .died_at = random_time(random),
          .consumer = random_consumer(random),
          .correlation_id = random_text(random),
          .group = random_text(random),
          .priority = static_cast<std::uint32_t>(random.below(UINT32_MAX)),
          .workflow_version = random_text(random),
          .visits = static_cast<std::uint32_t>(random.below(UINT32_MAX)),
          .attempts = {.kept = {{random_time(random), AttemptEnd::kReleased, random_consumer(random),
                                 std::chrono::milliseconds(random.below(UINT32_MAX)),
                                 static_cast<std::uint32_t>(random.below(256)), random_rejection(random)}},
                       .left_out = static_cast<std::uint32_t>(random.below(9))},
          .causes = random_rejection(random).causes,
          .partial_output = random_text(random),
          .fingerprint = Fingerprint{random.below(UINT64_MAX)},
          .first_death = random_first_death(random),
          .searched = random_attributes(random)};
}

inline DeadLetterFilter random_filter(Random& random) {
  const auto text = [&] { return random.one_in(2) ? std::optional(random_text(random)) : std::nullopt; };
  DeadLetterFilter filter{.category = text(),
                          .code = text(),
                          .source = text(),
                          .consumer_version = text(),
                          .assignee = text(),
                          .reason = random_text(random),
                          .history = random.one_in(2)};
  if (random.one_in(2)) filter.ids = {random_id(random), random_id(random)};
  if (random.one_in(2)) filter.seqs = {random_receipt(random).seq};
  if (random.one_in(2)) filter.died_from = random_time(random);
  if (random.one_in(2)) filter.died_before = random_time(random);
  if (random.one_in(2)) filter.cause = DeathCause::kRejected;
  if (random.one_in(2)) filter.fingerprint = Fingerprint{random.below(UINT64_MAX)};
  if (random.one_in(2)) filter.status = DeadLetterStatus::kFixed;
  filter.correlation_id = text();
  filter.workflow_version = text();
  filter.min_replays = static_cast<std::uint32_t>(random.below(UINT32_MAX));
  filter.attributes = random_attributes(random);
  filter.body = random_text(random);
  return filter;
}

inline std::uint64_t random_number(Random& random) { return random.between(0, UINT64_MAX - 1); }

inline RedriveOptions random_redrive_options(Random& random) {
  RedriveOptions options;
  options.action = random.one_in(2) ? RedriveAction::kPark : RedriveAction::kRedrive;
  options.filter = random_filter(random);
  options.max = random_number(random);
  options.max_replays = static_cast<std::uint32_t>(random.below(UINT32_MAX));
  options.park_refused = random.one_in(2);
  options.unless_version = random_text(random);
  options.to = random_text(random);
  options.rate = static_cast<std::uint32_t>(random.below(UINT32_MAX));
  options.edit = {.json_patch = random_text(random), .set_attributes = random_attributes(random)};
  for (std::uint64_t i = random.below(4); i > 0; --i)
    options.edit.drop_attributes.push_back(random_text(random));
  for (const RedriveValue value : {RedriveValue::kFromDlq, RedriveValue::kTime, RedriveValue::kReplays})
    if (random.one_in(2)) options.edit.value_attributes.push_back({random_text(random), value});
  if (random.one_in(2)) options.edit.body = random_text(random);
  options.actor = random_text(random);
  options.request_id = random_text(random);
  options.canary = static_cast<std::uint32_t>(random.below(UINT32_MAX));
  options.canary_percent = static_cast<std::uint32_t>(random.below(UINT32_MAX));
  options.wait = random.one_in(2);
  options.dry_run = random.one_in(2);
  if (random.one_in(2)) options.redact = {.bodies = random.one_in(2), .attributes = {random_text(random)}};
  return options;
}

inline LeftInPlace random_left(Random& random) {
  const auto count = [&] { return random.below(1'000'000); };
  return {.abandoned = count(),
          .replay_limit = count(),
          .version = count(),
          .edit = count(),
          .no_queue = count(),
          .leased = count()};
}

inline TaskStatus random_task_status(Random& random) {
  return {.id = TaskId{random_number(random)},
          .action = static_cast<RedriveAction>(random.between(0, 1)),
          .queue = random_text(random),
          .to = random_text(random),
          .state = static_cast<TaskState>(random.between(1, 6)),
          .moved = random_number(random),
          .parked = random_number(random),
          .left = random_left(random),
          .total = random_number(random),
          .canaries = random_number(random),
          .canary_acked = random_number(random),
          .canary_failed = random_number(random),
          .rate = static_cast<std::uint32_t>(random.between(0, UINT32_MAX)),
          .outcomes = {.acked = random_number(random),
                       .died_again = random_number(random),
                       .died_elsewhere = random_number(random),
                       .dropped = random_number(random)},
          .started_at = random_time(random),
          .finished_at = random_time(random),
          .actor = random_text(random),
          .cancelled_by = random_text(random),
          .error = random_text(random)};
}

inline DeadLetter random_dead_letter(Random& random) {
  Triage triage{.status = DeadLetterStatus::kInvestigating,
                .status_since = random_time(random),
                .assignee = random_text(random),
                .notes = {{random_time(random), random_text(random), random_text(random)}},
                .notes_dropped = 3,
                .audit = {{random_time(random), random_text(random), random_text(random)}},
                .audit_dropped = 4};
  std::optional<Replay> replay;
  if (random.one_in(2))
    replay = Replay{static_cast<ReplayOutcome>(random.between(1, 4)), random_time(random)};
  std::optional<OriginalMessage> original;
  if (random.one_in(2)) original = OriginalMessage{random_text(random), random_attributes(random)};
  DeadLetter letter{.seq = random_receipt(random).seq,
                    .id = random_id(random),
                    .record = random_record(random),
                    .triage = std::move(triage),
                    .history = random.one_in(2),
                    .body = random_text(random),
                    .attributes = random_attributes(random),
                    .replay = replay,
                    .original = std::move(original),
                    .redacted = {random_text(random)}};
  letter.without_body = !letter.history && random.one_in(4);
  if (random.one_in(4)) {
    letter.redacted.emplace_back("body");
    letter.without_body = false;
    if (letter.original) letter.original->body.clear();
  }
  const bool has_body = !letter.history && !letter.without_body && letter.redacted.size() == 1;
  if (!has_body) letter.body.clear();
  return letter;
}

}  // namespace holdfast::testing
