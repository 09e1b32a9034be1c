// Changes that happen together or not at all: on any queues of an engine, and in column families of the
// application's own. With its state in such a family an application processes each message exactly once:
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

// An application family's number. Never reused: a family dropped and opened again is another family.
enum class FamilyId : std::uint64_t {};

// A column family of the application's own: ordered keys with values, beside the queues. From
// Engine::open_family.
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

// The reply to commit.
struct Committed {
  std::vector<MessageId> sent;  // one for each send, in their order; of a duplicate the first one's
  // What it got: kFsync even if kBuffered was asked, when the write shared an fsync with others.
  Durability durability = Durability::kFsync;
};

// A list of changes, for Engine::commit. A plain value: making one does nothing yet.
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
  // A condition: the key has this value, or none, when the transaction happens. It sees none of the
  // transaction's own changes.
  Transaction& expect(const ApplicationFamily& family, std::string key, std::optional<std::string> value) {
    return add(Expect{family.id, std::move(key), std::move(value)});
  }

  // At most limits::kBatchEntries, and limits::kBatchBytes of what it sends, puts and expects, and of what it
  // says of failures that it releases. The messages
  // that it rejects to dead letter queues have at most limits::kBatchBytes of bodies and attributes too,
  // unless it is one: it can reject what one receive has handed out. Discarded ones don't count.
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
