#include "tests/simulation/actions/transactions.h"

#include <algorithm>
#include <utility>

#include "tests/support/result_matchers.h"

namespace holdfast::simulation {
namespace {

constexpr const char* kFamily = "application";
constexpr const char* kLast = "last";  // the row that every transaction replaces

}  // namespace

// A transaction, and what is true once it has happened.
struct Transactions::Transfer {
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

void Transactions::declare_family() {
  for (;;) {
    auto family = run_.world->engine().open_family(kFamily);
    if (family) {
      family_ = *family;
      return;
    }
    if (family.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(family.error()));
    recovery_.recover();
  }
}

std::optional<std::vector<std::string>> Transactions::family_names() {
  const auto families = run_.world->engine().list_families();
  if (!families) {
    recovery_.recover_from("list families", families.error());
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const ApplicationFamily& family : *families) names.push_back(family.name);
  return names;
}

void Transactions::add_and_drop_family() {
  ApplicationFamily brief;
  const bool made = recovery_.must_happen("open family", [&]() -> Result<void> {
    const auto family = run_.world->engine().open_family("brief");
    if (!family) return tl::unexpected(family.error());
    brief = *family;
    return {};
  });
  if (!made) return;
  auto names = family_names();
  if (names && *names != std::vector<std::string>{kFamily, "brief"})
    throw Violation("a family that was opened is not listed");
  recovery_.must_happen("put", [&]() -> Result<void> {
    const auto done = run_.world->engine().commit(Transaction().put(brief, kLast, "x"));
    return done ? Result<void>() : tl::unexpected(done.error());
  });
  const bool dropped = recovery_.must_happen("drop family", [&]() -> Result<void> {
    const auto done = run_.world->engine().drop_family("brief");
    // A try that failed may have dropped the family.
    return done || done.error().code == ErrorCode::kFamilyNotFound ? Result<void>() : done;
  });
  if (!dropped) throw Violation("no family can be dropped on a full disk");
  names = family_names();
  if (names && *names != std::vector<std::string>{kFamily})
    throw Violation("a family that was dropped is listed");
  const auto read = run_.world->engine().get(brief, kLast);
  if (read || read.error().code != ErrorCode::kFamilyNotFound)
    throw Violation("a family that was dropped is read");
}

std::optional<std::string> Transactions::row() {
  for (;;) {
    auto row = run_.world->engine().get(family_, kLast);
    if (row) return std::move(*row);
    if (row.error().code != ErrorCode::kStorageFailed) throw Violation("get: " + to_string(row.error()));
    recovery_.recover();
  }
}

void Transactions::check_row() {
  if (row() != row_) throw Violation("the application's row is not of the last transaction that happened");
  const auto rows = run_.world->engine().scan(family_, "", "");
  if (!rows) return recovery_.recover_from("scan", rows.error());
  std::vector<FamilyRow> expected;
  if (row_) expected.push_back({kLast, *row_});
  if (*rows != expected) throw Violation("a scan shows other rows than there are");
}

Transactions::Transfer Transactions::any_transfer() {
  Transfer transfer;
  for (const Receipt& receipt : deliveries_.take_receipts()) {
    const Duration delay = run_.random.one_in(3) ? run_.any_wait() : Duration{0};
    Transfer::Part part{receipt, Settling::kAck, run_.world->now_at_least() + delay};
    switch (run_.random.below(5)) {
      case 0:
        part.settling = Settling::kRelease;
        transfer.transaction.release(receipt,
                                     {.delay = delay, .failure = deliveries_.any_failure({&receipt, 1})});
        break;
      case 1:
        part.settling = deliveries_.outcome_of_reject(receipt);
        transfer.transaction.reject(receipt, {.category = "c", .reason = "r"});
        break;
      default:
        transfer.transaction.ack(receipt);
    }
    transfer.settled.push_back(part);
  }
  for (std::uint64_t n = run_.random.below(3); n > 0; --n) {
    const Subject& queue = run_.any_queue(false);
    Message message = run_.any_message(queue);
    message.deduplication_id.clear();  // the reply says too little of a duplicate to follow it
    if (run_.random.one_in(4)) message.delay = run_.any_wait();
    transfer.visible_at.push_back(run_.world->now_at_least() + message.delay.value_or(Duration{0}));
    transfer.transaction.send(queue.name, message);
    transfer.sent.emplace_back(&queue, std::move(message));
  }
  transfer.wrong = run_.random.one_in(8);
  const auto expected = transfer.wrong ? std::optional<std::string>("another") : row_;
  transfer.transaction.expect(family_, kLast, expected);
  // A row that is not there is not removed, since it would not show whether that happened.
  if (row_ && run_.random.one_in(4)) {
    transfer.transaction.remove(family_, kLast);
  } else {
    transfer.row = std::to_string(run_.step);
    transfer.transaction.put(family_, kLast, *transfer.row);
  }
  return transfer;
}

void Transactions::happened(const Transfer& transfer, const Committed* committed) {
  if (transfer.wrong) throw Violation("a transaction happened against its condition");
  for (const auto& [receipt, settling, until] : transfer.settled)
    run_.ledger.settled(receipt, settling, {}, run_.world->now(), until);
  for (std::size_t i = 0; i < transfer.sent.size(); ++i) {
    const auto& [queue, message] = transfer.sent[i];
    const auto id = committed == nullptr ? std::nullopt : std::optional(committed->sent[i]);
    sent_.note_there(*queue, message, transfer.visible_at[i], id);
  }
  run_.mark(Mark::kCommitted);
  run_.mark(Mark::kRowRemoved, !transfer.row);
  row_ = transfer.row;
  run_.ledger.synced();
  if (committed == nullptr) return;  // a crash may have left more messages than there is room for
  for (const auto& [queue, message] : transfer.sent) sent_.check_bounds(*queue, {message}, {Sent{}});
}

// Checks that there is a reason for the refusal. Nothing of the transaction has happened.
void Transactions::check_refusal(const Transfer& transfer, const Error& error) {
  const auto held = [&](const Transfer::Part& part) {
    return run_.ledger.surely_holds(part.receipt, run_.world->now());
  };
  const auto rejects = [](const Transfer::Part& part) { return part.settling == Settling::kReject; };
  run_.mark(Mark::kConditionFailed, error.code == ErrorCode::kPreconditionFailed);
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
      just = run_.full;
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

void Transactions::transact() {
  const Transfer transfer = any_transfer();
  const TransactionOptions options{.request_id = calls_.any_request_id()};
  auto done = calls_.call_commit(transfer.transaction, options);
  note_transfer(transfer, done);
  if (!done && done.error().code == ErrorCode::kStorageFailed) {
    recovery_.recover();
    if (row() == transfer.row) happened(transfer, nullptr);
    if (options.request_id.empty()) return check_row();
    // The transaction happens once, whether the first call did it or this one does.
    const bool there = row_ == transfer.row;
    run_.mark(Mark::kHappenedWithoutAnswer, there);
    done = calls_.call_commit(transfer.transaction, options);
    note_transfer(transfer, done);
    if (there && !done && done.error().code != ErrorCode::kStorageFailed)
      throw Violation("a transaction that happened is unknown: " + to_string(done.error()));
    if (there && !done) recovery_.recover();  // another write failed
    if (there) return check_row();
  }
  if (done) {
    happened(transfer, &*done);
  } else if (done.error().code == ErrorCode::kStorageFailed) {
    recovery_.recover();
    if (row() == transfer.row) happened(transfer, nullptr);
  } else {
    check_refusal(transfer, done.error());
  }
  check_row();
}

void Transactions::note_transfer(const Transfer& transfer, const Result<Committed>& done) {
  std::vector<std::string> bodies;
  for (const Transfer::Part& part : transfer.settled) {
    static constexpr const char* kVerbs[] = {"ack ",     "release ", "spare ", "reject ",
                                             "discard ", "extend ",  "start "};
    bodies.push_back(kVerbs[static_cast<std::size_t>(part.settling)] + *run_.ledger.body_of(part.receipt));
  }
  for (const auto& [queue, message] : transfer.sent)
    bodies.push_back("send " + message.body + " to " + queue->name);
  run_.note("transaction", bodies, done ? std::string("ok") : to_string(done.error()));
}

}  // namespace holdfast::simulation
