// Transactions: changes that happen together or not at all, on any queues of an engine and in column families
// of the application. An application that keeps its state in such a family processes each message exactly
// once:
//
//   auto accounts = engine.open_family("accounts");
//   holdfast::Transaction transfer;
//   transfer.ack(delivery.receipt).put(*accounts, "alice", "70").send("receipts", {.body = "alice paid 30"});
//   auto done = engine.commit(std::move(transfer));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast {

// A FamilyId is the number of an application family. It is never reused: a family that is dropped and opened
// again gets another number.
enum class FamilyId : std::uint64_t {};

// An ApplicationFamily is a column family of the application: keys in order, with values, stored beside the
// queues. Engine::open_family returns it.
struct ApplicationFamily {
  FamilyId id{};
  std::string name = {};

  friend bool operator==(const ApplicationFamily&, const ApplicationFamily&) = default;
};

struct FamilyRow {
  std::string key = {};
  std::string value = {};

  friend bool operator==(const FamilyRow&, const FamilyRow&) = default;
};

struct TransactionOptions {
  Durability durability = Durability::kFsync;
  std::string request_id = {};  // see Broker; empty: none
};

// Committed is the answer to commit.
struct Committed {
  // `sent` has the ids of the messages that were sent, in the order of the sends. A duplicate has the id of
  // the first message.
  std::vector<MessageId> sent;
  // `durability` says how durable the transaction is. It is kFsync even if the call asked for kBuffered when
  // the write shared an fsync with other calls.
  Durability durability = Durability::kFsync;
};

// A Transaction lists changes for Engine::commit. It is a plain value: nothing happens before the commit.
class Transaction {
 public:
  Transaction& send(std::string_view queue, Message message) {
    return add(Send{std::string(queue), std::move(message)});
  }
  Transaction& ack(const Receipt& receipt) { return add(Ack{receipt}); }
  Transaction& reject(const Receipt& receipt, Rejection rejection) {
    return add(Reject{receipt, std::move(rejection)});
  }
  Transaction& release(const Receipt& receipt, ReleaseOptions options = {}) {
    return add(Release{receipt, std::move(options)});
  }
  Transaction& put(const ApplicationFamily& family, std::string key, std::string value) {
    return add(Put{family.id, std::move(key), std::move(value)});
  }
  Transaction& remove(const ApplicationFamily& family, std::string key) {
    return add(Remove{family.id, std::move(key)});
  }
  // Adds a condition: when the transaction happens, the key must have this value, or no value if `value` is
  // empty. The transaction's own changes do not count.
  Transaction& expect(const ApplicationFamily& family, std::string key, std::optional<std::string> value) {
    return add(Expect{family.id, std::move(key), std::move(value)});
  }

  // Returns the number of changes and conditions: at most limits::kBatchEntries. What the transaction sends,
  // puts and expects, and what it says about failures that it releases, has at most limits::kBatchBytes
  // together. The messages that it rejects to dead letter queues also have at most limits::kBatchBytes of
  // bodies and attributes, unless it rejects only one; so a transaction can reject all that one receive
  // handed out. Rejected messages that are discarded do not count.
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

  struct Send {
    std::string queue;
    Message message;
  };
  struct Ack {
    Receipt receipt;
  };
  struct Reject {
    Receipt receipt;
    Rejection rejection;
  };
  struct Release {
    Receipt receipt;
    ReleaseOptions options;
  };
  struct Put {
    FamilyId family;
    std::string key;
    std::string value;
  };
  struct Remove {
    FamilyId family;
    std::string key;
  };
  struct Expect {
    FamilyId family;
    std::string key;
    std::optional<std::string> value;
  };
  using Entry = std::variant<Send, Ack, Reject, Release, Put, Remove, Expect>;
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  template <class Change>
  Transaction& add(Change change) {
    entries_.emplace_back(std::move(change));
    return *this;
  }

  std::vector<Entry> entries_;
};

}  // namespace holdfast
