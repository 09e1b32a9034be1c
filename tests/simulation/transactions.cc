// Transactions in a simulation: everything in one happens, or nothing.
#include <algorithm>

#include "tests/simulation/simulation.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {
namespace {

constexpr const char* kFamily = "application";
constexpr const char* kLast = "last";  // the row that every transaction replaces

}  // namespace

// A transaction, and what is true once it has happened.
struct Simulation::Transfer {
  struct Part {
    Receipt receipt;
    Settling settling;
    Timestamp until;
  };
  Transaction transaction;
  std::vector<Part> settled;
  std::vector<std::pair<const Subject*, Message>> sent;
  std::vector<Timestamp> visible_at;  // by the messages that are sent
  std::optional<std::string> row;     // none: the row is removed
  bool wrong = false;                 // its condition does not hold
};

void Simulation::declare_family() {
  for (;;) {
    auto family = world_->engine().open_family(kFamily);
    if (family) {
      family_ = *family;
      return;
    }
    if (family.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(family.error()));
    recover();
  }
}

std::optional<std::vector<std::string>> Simulation::family_names() {
  const auto families = world_->engine().list_families();
  if (!families) {
    recover_from("list families", families.error());
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const ApplicationFamily& family : *families) names.push_back(family.name);
  return names;
}

void Simulation::add_and_drop_family() {
  ApplicationFamily brief;
  const bool made = must_happen("open family", [&]() -> Result<void> {
    const auto family = world_->engine().open_family("brief");
    if (!family) return tl::unexpected(family.error());
    brief = *family;
    return {};
  });
  if (!made) return;
  auto names = family_names();
  if (names && *names != std::vector<std::string>{kFamily, "brief"})
    throw Violation("a family that was opened is not listed");
  must_happen("put", [&]() -> Result<void> {
    const auto done = world_->engine().commit(Transaction().put(brief, kLast, "x"));
    return done ? Result<void>() : tl::unexpected(done.error());
  });
  const bool dropped = must_happen("drop family", [&]() -> Result<void> {
    const auto done = world_->engine().drop_family("brief");
    // A try that failed may have dropped the family.
    return done || done.error().code == ErrorCode::kFamilyNotFound ? Result<void>() : done;
  });
  if (!dropped) throw Violation("no family can be dropped on a full disk");
  names = family_names();
  if (names && *names != std::vector<std::string>{kFamily})
    throw Violation("a family that was dropped is listed");
  const auto read = world_->engine().get(brief, kLast);
  if (read || read.error().code != ErrorCode::kFamilyNotFound)
    throw Violation("a family that was dropped is read");
}

std::optional<std::string> Simulation::row() {
  for (;;) {
    auto row = world_->engine().get(family_, kLast);
    if (row) return std::move(*row);
    if (row.error().code != ErrorCode::kStorageFailed) throw Violation("get: " + to_string(row.error()));
    recover();
  }
}

void Simulation::check_row() {
  if (row() != row_) throw Violation("the application's row is not of the last transaction that happened");
  const auto rows = world_->engine().scan(family_, "", "");
  if (!rows) return recover_from("scan", rows.error());
  std::vector<FamilyRow> expected;
  if (row_) expected.push_back({kLast, *row_});
  if (*rows != expected) throw Violation("a scan shows other rows than there are");
}

Settling Simulation::outcome_of_reject(const Receipt& receipt) const {
  const std::string& queue = ledger_.account(*ledger_.body_of(receipt)).queue;
  const bool discards = std::ranges::any_of(queues_, [&](const Subject& subject) {
    return subject.name == queue && subject.options.dead_letters.discard_rejected;
  });
  return discards ? Settling::kDiscard : Settling::kReject;
}

Simulation::Transfer Simulation::any_transfer() {
  Transfer transfer;
  for (const Receipt& receipt : take_receipts()) {
    const Duration delay = random_.one_in(3) ? any_wait() : Duration{0};
    Transfer::Part part{receipt, Settling::kAck, world_->now_at_least() + delay};
    switch (random_.below(5)) {
      case 0:
        part.settling = Settling::kRelease;
        transfer.transaction.release(receipt, {.delay = delay, .failure = any_failure({&receipt, 1})});
        break;
      case 1:
        part.settling = outcome_of_reject(receipt);
        transfer.transaction.reject(receipt, {.category = "c", .reason = "r"});
        break;
      default:
        transfer.transaction.ack(receipt);
    }
    transfer.settled.push_back(part);
  }
  for (std::uint64_t n = random_.below(3); n > 0; --n) {
    const Subject& queue = any_queue(false);
    Message message = any_message(queue);
    message.deduplication_id.clear();  // the reply says too little of a duplicate to follow it
    if (random_.one_in(4)) message.delay = any_wait();
    transfer.visible_at.push_back(world_->now_at_least() + message.delay.value_or(Duration{0}));
    transfer.transaction.send(queue.name, message);
    transfer.sent.emplace_back(&queue, std::move(message));
  }
  transfer.wrong = random_.one_in(8);
  const auto expected = transfer.wrong ? std::optional<std::string>("another") : row_;
  transfer.transaction.expect(family_, kLast, expected);
  // A row that is not there is not removed, since it would not show whether that happened.
  if (row_ && random_.one_in(4)) {
    transfer.transaction.remove(family_, kLast);
  } else {
    transfer.row = std::to_string(step_);
    transfer.transaction.put(family_, kLast, *transfer.row);
  }
  return transfer;
}

void Simulation::happened(const Transfer& transfer, const Committed* committed) {
  if (transfer.wrong) throw Violation("a transaction happened against its condition");
  for (const auto& [receipt, settling, until] : transfer.settled)
    ledger_.settled(receipt, settling, {}, world_->now(), until);
  for (std::size_t i = 0; i < transfer.sent.size(); ++i) {
    const auto& [queue, message] = transfer.sent[i];
    const auto id = committed == nullptr ? std::nullopt : std::optional(committed->sent[i]);
    note_there(*queue, message, transfer.visible_at[i], id);
  }
  mark(Mark::kCommitted);
  mark(Mark::kRowRemoved, !transfer.row);
  row_ = transfer.row;
  ledger_.synced();
  if (committed == nullptr) return;  // a crash may have left more messages than there is room for
  for (const auto& [queue, message] : transfer.sent) check_bounds(*queue, {message}, {Sent{}});
}

// Checks that there is a reason for the refusal. Nothing of the transaction has happened.
void Simulation::check_refusal(const Transfer& transfer, const Error& error) {
  const auto held = [&](const Transfer::Part& part) {
    return ledger_.surely_holds(part.receipt, world_->now());
  };
  const auto rejects = [](const Transfer::Part& part) { return part.settling == Settling::kReject; };
  mark(Mark::kConditionFailed, error.code == ErrorCode::kPreconditionFailed);
  bool just = false;
  switch (error.code) {
    case ErrorCode::kReceiptStale:
    case ErrorCode::kMessageNotFound:
      just = !std::ranges::all_of(transfer.settled, held);
      break;
    case ErrorCode::kNoDeadLetterQueue:
      just = std::ranges::any_of(transfer.settled, rejects);
      break;
    case ErrorCode::kPreconditionFailed:
      just = transfer.wrong;
      break;
    case ErrorCode::kDiskFull:
      just = full_;
      break;
    case ErrorCode::kQueueFull:
      just = std::ranges::any_of(transfer.sent,
                                 [](const auto& sent) { return is_bounded(sent.first->options); });
      break;
    default:
      break;
  }
  if (!just) throw Violation("a transaction was refused: " + to_string(error));
}

void Simulation::transact() {
  const Transfer transfer = any_transfer();
  const TransactionOptions options{.request_id = any_request_id()};
  auto done = call_commit(transfer.transaction, options);
  note_transfer(transfer, done);
  if (!done && done.error().code == ErrorCode::kStorageFailed) {
    recover();
    if (row() == transfer.row) happened(transfer, nullptr);
    if (options.request_id.empty()) return check_row();
    // The transaction happens once, whether the first call did it or this one does.
    const bool there = row_ == transfer.row;
    mark(Mark::kHappenedWithoutAnswer, there);
    done = call_commit(transfer.transaction, options);
    note_transfer(transfer, done);
    if (there && !done && done.error().code != ErrorCode::kStorageFailed)
      throw Violation("a transaction that happened is unknown: " + to_string(done.error()));
    if (there && !done) recover();  // another write failed
    if (there) return check_row();
  }
  if (done) {
    happened(transfer, &*done);
  } else if (done.error().code == ErrorCode::kStorageFailed) {
    recover();
    if (row() == transfer.row) happened(transfer, nullptr);
  } else {
    check_refusal(transfer, done.error());
  }
  check_row();
}

void Simulation::note_transfer(const Transfer& transfer, const Result<Committed>& done) {
  std::vector<std::string> bodies;
  for (const Transfer::Part& part : transfer.settled) {
    static constexpr const char* kVerbs[] = {"ack ",     "release ", "spare ", "reject ",
                                             "discard ", "extend ",  "start "};
    bodies.push_back(kVerbs[static_cast<std::size_t>(part.settling)] + *ledger_.body_of(part.receipt));
  }
  for (const auto& [queue, message] : transfer.sent)
    bodies.push_back("send " + message.body + " to " + queue->name);
  note("transaction", bodies, done ? std::string("ok") : to_string(done.error()));
}

}  // namespace holdfast::simulation
