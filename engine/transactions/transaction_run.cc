#include "engine/transactions/transaction_run.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "engine/base/helpers/content_hash.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/dead_letters/failure.h"
#include "engine/dead_letters/dead_letter_mover.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/messages/send.h"
#include "engine/messages/settle.h"
#include "engine/upkeep/schedule_mover.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using TransactionEntry = Transaction::Entry;

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

constexpr std::string_view kEntryNames[] = {"send", "ack", "reject", "release", "put", "remove", "expect"};
static_assert(std::size(kEntryNames) == std::variant_size_v<TransactionEntry>);

const Receipt* receipt_of(const TransactionEntry& entry) {
  return std::visit(
      [](const auto& change) -> const Receipt* {
        if constexpr (requires { change.receipt; }) return &change.receipt;
        return nullptr;
      },
      entry);
}

// An EntryPlace is the family and key of a put, remove or expect.
struct EntryPlace {
  FamilyId family;
  std::string_view key;
};

std::optional<EntryPlace> place_of(const TransactionEntry& entry) {
  return std::visit(
      [](const auto& change) -> std::optional<EntryPlace> {
        if constexpr (requires { change.family; }) return EntryPlace{change.family, change.key};
        return std::nullopt;
      },
      entry);
}

std::size_t bytes_of(const TransactionEntry& entry) {
  return std::visit(
      Overloaded{[](const Transaction::Send& send) { return byte_size(send.message); },
                 [](const Transaction::Put& put) { return put.key.size() + put.value.size(); },
                 [](const Transaction::Expect& expect) {
                   return expect.key.size() + (expect.value ? expect.value->size() : 0);
                 },
                 [](const Transaction::Remove& remove) { return remove.key.size(); },
                 [](const Transaction::Release& release) { return byte_size(release.options.failure); },
                 [](const auto&) { return std::size_t{0}; }},
      entry);
}

// Returns whether the entry adds to what is kept.
bool grows(const TransactionEntry& entry) {
  return std::holds_alternative<Transaction::Send>(entry) || std::holds_alternative<Transaction::Put>(entry);
}

Result<void> validate_entry(const TransactionEntry& entry) {
  return std::visit(
      Overloaded{[](const Transaction::Send& send) { return validate(send.message); },
                 [](const Transaction::Reject& reject) { return validate(reject.rejection); },
                 [](const Transaction::Release& release) { return validate(release.options); },
                 [](const Transaction::Put& put) {
                   auto ok = validate_application_key(put.key);
                   return ok ? validate_application_value(put.value) : ok;
                 },
                 [](const Transaction::Remove& remove) { return validate_application_key(remove.key); },
                 [](const Transaction::Expect& expect) { return validate_application_key(expect.key); },
                 [](const Transaction::Ack&) { return Result<void>(); }},
      entry);
}

void add_content(ContentHash& content, const TransactionEntry& entry) {
  content.add(entry.index());
  if (const Receipt* receipt = receipt_of(entry)) content.add(*receipt);
  if (const auto place = place_of(entry)) {
    content.add(static_cast<std::uint64_t>(place->family)).add(place->key);
  }
  std::visit(Overloaded{[&](const Transaction::Send& send) {
                          content.add(send.queue);
                          content.add(send.message);
                        },
                        [&](const Transaction::Reject& reject) { content.add(reject.rejection); },
                        [&](const Transaction::Release& release) {
                          if (!release.options.failure.empty()) content.add(release.options.failure);
                        },
                        [&](const Transaction::Put& put) { content.add(put.value); }, [](const auto&) {}},
             entry);
}

// Returns the first entry that has the receipt of an entry before it.
std::optional<std::size_t> find_repeated_receipt(const std::vector<TransactionEntry>& entries) {
  std::vector<std::pair<Receipt, std::size_t>> receipts;
  receipts.reserve(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (const Receipt* receipt = receipt_of(entries[i])) receipts.emplace_back(*receipt, i);
  }
  std::ranges::sort(receipts);
  std::optional<std::size_t> first;
  for (std::size_t i = 1; i < receipts.size(); ++i) {
    if (receipts[i].first != receipts[i - 1].first) continue;
    first = std::min(first.value_or(entries.size()), receipts[i].second);
  }
  return first;
}

// Keeps only what is moved of the chunk: the message, or what a discarded message leaves. So a transaction
// holds no more than that, whatever chunks its messages lie in.
void keep_message(RejectCandidate& candidate, std::shared_ptr<const Chunk> chunk, bool dead_lettered) {
  candidate.set_chunk(std::move(chunk));
  if (dead_lettered && candidate.chunk->count() == 1) return;
  const MessageView message = candidate.chunk->message(candidate.index);
  ChunkBuilder kept(candidate.receipt.seq, candidate.chunk->kind());
  if (dead_lettered) {
    kept.add_copy(message, message.lineage);
  } else {
    kept.add(message.id, message.sent_at, {}, message.lineage);
  }
  candidate.chunk = std::move(kept).finish();
  candidate.index = 0;
}

}  // namespace

// The hash covers the kinds, the order and the receipts of the entries, and what a mix-up of request ids
// would change.
std::uint64_t TransactionRun::content() const {
  ContentHash content;
  content.add("commit").add(static_cast<std::uint64_t>(options_.durability));
  for (const TransactionEntry& entry : transaction_.entries()) add_content(content, entry);
  return content.value();
}

tl::unexpected<Error> TransactionRun::name_entry(std::size_t i, const Error& error) const {
  const std::string_view name = kEntryNames[transaction_.entries()[i].index()];
  return fail(error.code, "entry " + std::to_string(i) + " (" + std::string(name) + "): " + error.message);
}

Result<void> TransactionRun::validate_entries() const {
  const auto& entries = transaction_.entries();
  if (auto ok = validate_batch_entries(entries.size(), "entries"); !ok) return ok;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto ok = validate_entry(entries[i]); !ok) return name_entry(i, ok.error());
    bytes += bytes_of(entries[i]);
  }
  if (const auto i = find_repeated_receipt(entries))
    return name_entry(*i, {ErrorCode::kInvalidArgument, "an entry before it has the same receipt"});
  return validate_batch_bytes(bytes, entries.size());
}

Result<void> TransactionRun::find_queue(std::size_t i) {
  const TransactionEntry& entry = transaction_.entries()[i];
  if (const auto* send = std::get_if<Transaction::Send>(&entry)) {
    auto found = engine_.catalog.find(send->queue);
    if (!found) return tl::unexpected(found.error());
    steps_[i].queue = std::move(*found);
  } else if (const Receipt* receipt = receipt_of(entry)) {
    const std::shared_ptr<Queue> before = i > 0 ? steps_[i - 1].queue : nullptr;
    steps_[i].queue = before && before->id == receipt->queue ? before : engine_.catalog.find(receipt->queue);
    if (!steps_[i].queue) return fail(ErrorCode::kMessageNotFound, "the message is gone, with its queue");
  }
  return {};
}

Result<void> TransactionRun::find_queues() {
  steps_.resize(transaction_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (auto ok = find_queue(i); !ok) return name_entry(i, ok.error());
  }
  return {};
}

Result<void> TransactionRun::find_rejected() {
  std::size_t dead_lettered = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto* reject = std::get_if<Transaction::Reject>(&transaction_.entries()[i]);
    if (reject == nullptr) continue;
    TransactionStep& step = steps_[i];
    const LockedQueue locked(engine_.pipeline.gate(), *step.queue);
    auto candidate = find_reject_candidate(*step.queue, reject->receipt);
    if (!candidate) return name_entry(i, candidate.error());
    const auto& target = step.queue->dead_letter_target(reject->rejection.category);
    if (target) {
      ++dead_lettered;
      bytes += candidate->bytes;
    }
    if (step.candidate && step.target == target) continue;
    step.target = target;
    step.candidate = std::move(*candidate);
  }
  return dead_lettered == 1 ? Result<void>() : at_most(bytes, limits::kBatchBytes, "what it rejects");
}

// The messages are read before the queues are locked to move them.
Result<void> TransactionRun::load_rejected() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    TransactionStep& step = steps_[i];
    if (!step.candidate || step.candidate->chunk) continue;
    auto chunk = engine_.chunk_loader.load(step.queue->id, step.candidate->span.first);
    if (!chunk) return name_entry(i, chunk.error());
    keep_message(*step.candidate, std::move(*chunk), step.target != nullptr);
    read_failures(*engine_.store, step.queue->id, step.candidate->told);
  }
  return {};
}

// Reads the expected keys. `seen` becomes a group whose rows these reads have seen.
Result<void> TransactionRun::read_expected(GroupNumber& seen) const {
  seen = engine_.pipeline.last_committed();
  const auto& entries = transaction_.entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto* expect = std::get_if<Transaction::Expect>(&entries[i]);
    if (expect == nullptr) continue;
    auto value = engine_.store->get(store_family(expect->family), expect->key);
    if (!value) return name_entry(i, value.error());
    if (*value == expect->value) continue;
    // A family is forgotten before the store drops its rows. So check() refuses the condition if that is why
    // the value is missing.
    if (!engine_.families.contains(expect->family)) continue;
    return name_entry(
        i, {ErrorCode::kPreconditionFailed, *value ? "the key has another value" : "the key has no value"});
  }
  return {};
}

Result<void> TransactionRun::look_up_sends() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto* send = std::get_if<Transaction::Send>(&transaction_.entries()[i]);
    if (send == nullptr) continue;
    steps_[i].lookup = std::make_unique<SendLookup>(*steps_[i].queue);
    if (auto ok = steps_[i].lookup->read(*engine_.store, {&send->message, 1}); !ok) {
      return name_entry(i, ok.error());
    }
  }
  return {};
}

bool TransactionRun::outdated() const {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const TransactionStep& step = steps_[i];
    assert_locked(step.queue);
    if (step.candidate) {
      const auto& reject = std::get<Transaction::Reject>(transaction_.entries()[i]);
      if (step.queue->dead_letter_target(reject.rejection.category) != step.target) return true;
    }
    if (step.lookup && step.lookup->outdated(*step.queue)) return true;
  }
  return false;
}

std::optional<GroupNumber> TransactionRun::written_since(GroupNumber seen) const {
  for (const TransactionEntry& entry : transaction_.entries()) {
    const auto* expect = std::get_if<Transaction::Expect>(&entry);
    if (expect == nullptr) continue;
    const GroupNumber last = engine_.families.last_write(expect->family, expect->key);
    if (last > seen) return last;
  }
  return std::nullopt;
}

Result<void> TransactionRun::check(std::size_t i, Timestamp time, Before& before) const {
  const TransactionEntry& entry = transaction_.entries()[i];
  const TransactionStep& step = steps_[i];
  assert_locked(step.queue);
  assert_locked(step.target);
  if (const auto place = place_of(entry)) {
    if (engine_.families.takes_writes(place->family)) return {};
    return fail(ErrorCode::kFamilyNotFound, "the family was dropped");
  }
  const Receipt* receipt = receipt_of(entry);
  if (receipt == nullptr) return check_send(i, time, before);
  auto ok = step.candidate
                ? check_reject(*step.queue, step.target.get(), *step.candidate)
                : refuse(step.queue->state.of(receipt->seq).window().check(receipt->seq, receipt->lease));
  if (!ok) return ok;
  if (const auto* release = std::get_if<Transaction::Release>(&entry)) {
    return check_release(*step.queue, receipt->seq, release->options);
  }
  const std::int64_t bytes = step.queue->state.of(receipt->seq).window().bytes_of(receipt->seq);
  if (step.queue->bounds.is_bounded()) {
    QueueBounds::Load& load = before.loads[step.queue.get()];
    --load.messages;
    load.bytes -= bytes;
  }
  if (step.target) note_arriving(*step.target, bytes, before);
  return {};
}

void TransactionRun::note_arriving(const Queue& queue, std::int64_t bytes, Before& before) {
  if (!queue.bounds.is_bounded()) return;
  QueueBounds::Load& load = before.loads[&queue];
  ++load.messages;
  load.bytes += bytes;
  ++load.ready_messages;
  load.ready_bytes += bytes;
}

Result<void> TransactionRun::check_send(std::size_t i, Timestamp time, Before& before) const {
  const TransactionStep& step = steps_[i];
  assert_locked(step.queue);
  if (step.queue->deleted()) return tl::unexpected(Queue::deleted_error());
  const Message& message = std::get<Transaction::Send>(transaction_.entries()[i]).message;
  if (auto ok = step.queue->sends.check_open(); !ok) return ok;
  if (auto ok = step.queue->sends.admit(message); !ok) return ok;
  if (!step.queue->bounds.is_bounded() || is_duplicate(step, time, before)) return {};
  QueueBounds::Load& load = before.loads[step.queue.get()];
  const std::size_t bytes = byte_size(message);
  if (auto ok = step.queue->bounds.check_room(bytes, load); !ok) return ok;
  if (const auto key = step.lookup->key(0)) before.sent.emplace(step.queue.get(), *key);
  ++load.messages;
  load.bytes += static_cast<std::int64_t>(bytes);
  if (step.queue->sends.waits(message, time)) return {};
  ++load.ready_messages;
  load.ready_bytes += static_cast<std::int64_t>(bytes);
  return {};
}

bool TransactionRun::is_duplicate(const TransactionStep& step, Timestamp time, const Before& before) {
  const auto key = step.lookup->key(0);
  return step.lookup->original(*step.queue, 0, time) ||
         (key && before.sent.contains({step.queue.get(), *key}));
}

Result<void> TransactionRun::check_all(Timestamp time) const {
  Before before;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (auto ok = check(i, time, before); !ok) return name_entry(i, ok.error());
  }
  return {};
}

void TransactionRun::apply(std::size_t i, Timestamp time, Submitted& submitted) {
  TransactionStep& step = steps_[i];
  const auto write = [&](FamilyId family, const std::string& key, std::optional<std::string> value) {
    engine_.pipeline.gate().assert_inside();
    engine_.families.write_mutex.assert_held();
    const GroupNumber group =
        engine_.pipeline.join_row(store_family(family), key, std::move(value), options_.durability);
    engine_.families.note_write(family, key, group);
  };
  std::visit(
      Overloaded{
          [&](const Transaction::Send& send) {
            assert_locked(step.queue);
            if (const auto original = step.lookup->original(*step.queue, 0, time)) {
              submitted.sent.push_back(*original);
              return;
            }
            submitted.sent.push_back(apply_send(engine_, *step.queue, *step.lookup, 0, send.message, time));
            sent_to_.insert(step.queue.get());
          },
          [&](const Transaction::Ack& ack) {
            assert_locked(step.queue);
            engine_.retention.ack(*step.queue, ack.receipt.seq, time, {});
          },
          [&](const Transaction::Reject& reject) HOLDFAST_REQUIRES_SHARED(inside_gate) {
            assert_locked(step.queue);
            assert_locked(step.target);
            apply_reject(engine_, *step.queue, step.target.get(), *step.candidate, reject.rejection, time);
          },
          [&](const Transaction::Release& release) {
            assert_locked(step.queue);
            if (auto said = encode_said(release.options.failure))
              step.queue->describe(release.receipt.seq, std::move(said), time);
            if (step.queue->release(release.receipt.seq, return_of(release.options, time), time))
              moving_.push_back(step.queue);
          },
          [&](const Transaction::Put& put) { write(put.family, put.key, put.value); },
          [&](const Transaction::Remove& remove) { write(remove.family, remove.key, std::nullopt); },
          [](const Transaction::Expect&) {}},
      transaction_.entries()[i]);
}

TransactionRun::Submitted TransactionRun::apply_all(Timestamp time) {
  Submitted submitted;
  submitted.group = engine_.pipeline.last_committed();  // an empty transaction has this group
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    apply(i, time, submitted);
    if (!std::holds_alternative<Transaction::Expect>(transaction_.entries()[i])) {
      submitted.group = engine_.pipeline.open_group();
      submitted.asked = options_.durability;
    }
  }
  for (const auto& queue : touched()) {
    assert_locked(queue);
    engine_.pipeline.join(queue, options_.durability);
    if (sent_to_.contains(queue.get()) && queue->bounds.drop_excess()) submitted.full.push_back(queue);
    engine_.dispatcher.after_change(queue, time);
  }
  return submitted;
}

TransactionRun::Submitted TransactionRun::apply_and_record(const HeldRequest& request, Timestamp time) {
  Submitted submitted = apply_all(time);
  if (!request) return submitted;
  RequestRow answer;
  answer.ids = submitted.sent;
  request.record(0, std::move(answer), options_.durability);
  submitted.group = engine_.pipeline.open_group();  // the answer is committed even if nothing else is
  return submitted;
}

std::vector<std::shared_ptr<Queue>> TransactionRun::touched() const {
  std::vector<std::shared_ptr<Queue>> queues;
  // Entries of one queue mostly follow one another.
  const auto add = [&queues](const std::shared_ptr<Queue>& queue) {
    if (queue && (queues.empty() || queues.back() != queue)) queues.push_back(queue);
  };
  for (const TransactionStep& step : steps_) add(step.queue);
  for (const TransactionStep& step : steps_) add(step.target);
  std::ranges::sort(queues, {}, &Queue::id);
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  return queues;
}

TransactionRun::Submitted TransactionRun::refusal(const Error& error, GroupNumber group) const {
  Submitted refused{.group = group, .last = group, .refused = error};
  if (error.code != ErrorCode::kMessageNotFound) return refused;
  for (const auto& queue : touched()) {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (const auto loss = group_of_loss(engine_.pipeline, *queue, options_.durability))
      refused.last = std::max(refused.last, *loss);
  }
  return refused;
}

Result<TransactionRun::Submitted> TransactionRun::submit(HeldRequest request) {
  if (auto ok = validate_entries(); !ok) return tl::unexpected(ok.error());
  if (request) request.begin(content(), engine_.clock.stored_now());
  auto answered = request.answered();
  if (!answered) return tl::unexpected(answered.error());
  if (*answered) {
    const Gate::Pass pass(engine_.pipeline.gate());
    const GroupNumber group = engine_.pipeline.join(options_.durability);
    return Submitted{.sent = std::move((*answered)->ids),
                     .group = group,
                     .last = group,
                     .asked = options_.durability,
                     .request = std::move(request)};
  }
  return submit_new(std::move(request));
}

Result<SpaceWatch::Claim> TransactionRun::admit() const {
  std::size_t bytes = 0;
  std::size_t sends = 0;
  std::size_t acks = 0;
  for (const TransactionEntry& entry : transaction_.entries()) {
    if (grows(entry)) bytes += bytes_of(entry);
    if (std::holds_alternative<Transaction::Send>(entry)) ++sends;
    if (std::holds_alternative<Transaction::Ack>(entry)) ++acks;
  }
  if (bytes == 0) return SpaceWatch::Claim();
  return acks > 0 && acks >= sends ? engine_.space.admit_with_settled(bytes) : engine_.space.admit(bytes);
}

Result<TransactionRun::Submitted> TransactionRun::submit_new(HeldRequest request) {
  auto space = admit();
  if (!space) return tl::unexpected(space.error());
  if (auto ok = find_queues(); !ok) return tl::unexpected(ok.error());
  for (;;) {
    if (auto ok = find_rejected(); !ok) return refusal(ok.error(), {});
    if (auto ok = load_rejected(); !ok) return refusal(ok.error(), {});
    GroupNumber seen{};
    if (auto ok = read_expected(seen); !ok) return tl::unexpected(ok.error());
    if (auto ok = look_up_sends(); !ok) return tl::unexpected(ok.error());
    auto tried = try_to_apply(request, seen);
    if (tried.outdated) continue;
    if (!tried.checked) return refusal(tried.checked.error(), tried.deletion);
    if (tried.submitted) {
      do_what_follows(*tried.submitted);
      tried.submitted->request = std::move(request);
      tried.submitted->space = std::move(*space);
      return *std::move(tried.submitted);
    }
    // Somebody has written one of the expected keys since it was read. Once that is committed, the keys are
    // read again.
    if (auto ok = engine_.pipeline.wait(*tried.newer); !ok) return tl::unexpected(ok.error());
  }
}

TransactionRun::Attempt TransactionRun::try_to_apply(const HeldRequest& request, GroupNumber seen) {
  const auto queues = touched();
  std::vector<Queue*> to_lock;
  to_lock.reserve(queues.size());
  for (const auto& queue : queues) to_lock.push_back(queue.get());
  Attempt attempt;
  const LockedQueues locked(engine_.pipeline.gate(), std::move(to_lock));
  const sync::Lock writes(engine_.families.write_mutex);
  attempt.outdated = outdated();
  if (attempt.outdated) return attempt;
  attempt.newer = written_since(seen);
  if (attempt.newer) return attempt;
  const Timestamp time = engine_.now();
  attempt.checked = check_all(time);
  attempt.deletion = engine_.families.last_drop();
  for (const auto& queue : queues) {
    assert_locked(queue);
    attempt.deletion = std::max(attempt.deletion, queue->deletion());
  }
  if (attempt.checked) attempt.submitted = apply_and_record(request, time);
  return attempt;
}

// What follows is buffered and comes after the transaction, as after a single release. The answer waits for
// it too.
void TransactionRun::do_what_follows(Submitted& submitted) {
  submitted.last = submitted.group;
  for (const auto& queue : moving_) {
    if (const auto moved = engine_.mover.dead_letter_exhausted(queue); moved && moved->last)
      submitted.last = *moved->last;
    if (const auto group = engine_.schedule_mover.return_to_tail(queue)) submitted.last = *group;
  }
}

}  // namespace holdfast
