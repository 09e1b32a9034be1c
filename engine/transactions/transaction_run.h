// One transaction on its way into a commit group: prepared without locks, then checked and applied under all
// of its queues' locks, so that it happens in whole or not at all.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/engine/engine_impl.h"
#include "engine/messages/reject.h"
#include "engine/queue/send_lookup.h"

namespace holdfast {

class TransactionRun {
 public:
  TransactionRun(Engine::Impl& engine, Transaction transaction, TransactionOptions options)
      : engine_(engine), transaction_(std::move(transaction)), options_(std::move(options)) {}

  struct Submitted {
    std::vector<MessageId> sent = {};
    GroupNumber group{};                       // that commits it
    GroupNumber last{};                        // that commits what follows from it
    Durability asked = Durability::kBuffered;  // of the group, which one without effect has not asked
    std::optional<Error> refused = {};         // the answer, by what that group commits
    HeldRequest request = {};                  // until the group is committed
    SpaceWatch::Claim space = {};              // until then
  };
  // May read from disk and wait for commits. The error names the entry. `request` holds the options' id.
  Result<Submitted> submit(HeldRequest request);

 private:
  // What is known of an entry, in the transaction's order.
  struct TransactionStep {
    std::shared_ptr<Queue> queue;              // of a send, ack, reject or release
    std::shared_ptr<Queue> target;             // of a reject: where dead letters of its category go
    std::optional<RejectCandidate> candidate;  // of a reject
    std::unique_ptr<SendLookup> lookup;        // of a send
  };

  std::uint64_t content() const;
  Result<Submitted> submit_new(HeldRequest request);
  Result<void> validate_entries() const;
  // kDiskFull for what sends and puts; acks go on, and with them what comes of each, for longer.
  Result<SpaceWatch::Claim> admit() const;
  Result<void> find_queues();
  Result<void> find_queue(std::size_t i);
  // kLimitExceeded if these messages are too large together.
  Result<void> find_rejected();
  Result<void> load_rejected();
  Result<void> read_expected(GroupNumber& seen) const;
  Result<void> look_up_sends();

  // With the lock of the reject's queue held.
  const std::shared_ptr<Queue>& current_target(std::size_t i) const;

  // With the locks of all queues held.
  bool outdated() const;
  std::optional<GroupNumber> written_since(GroupNumber seen) const
      HOLDFAST_REQUIRES(engine_.families.write_mutex);
  // What the entries before one do.
  struct Before {
    std::map<const Queue*, QueueBounds::Load> loads = {};  // of queues with bounds
    std::set<std::pair<const Queue*, DedupKey>> sent = {};
  };
  Result<void> check(std::size_t i, Timestamp time, Before& before) const
      HOLDFAST_REQUIRES(engine_.families.write_mutex);
  Result<void> check_send(std::size_t i, Timestamp time, Before& before) const;
  // Whether the send is of something that was sent before, in this transaction or another.
  static bool is_duplicate(const TransactionStep& step, Timestamp time, const Before& before);
  static void note_arriving(const Queue& queue, std::int64_t bytes, Before& before)
      HOLDFAST_REQUIRES(queue.mutex);
  Result<void> check_all(Timestamp time) const HOLDFAST_REQUIRES(engine_.families.write_mutex);
  void apply(std::size_t i, Timestamp time, Submitted& submitted)
      HOLDFAST_REQUIRES(engine_.families.write_mutex)
          HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate(), inside_gate);
  Submitted apply_all(Timestamp time) HOLDFAST_REQUIRES(engine_.families.write_mutex)
      HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate(), inside_gate);
  // The same, and what it answers is known to repetitions.
  Submitted apply_and_record(const HeldRequest& request, Timestamp time)
      HOLDFAST_REQUIRES(engine_.families.write_mutex)
          HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate(), inside_gate);

  std::vector<std::shared_ptr<Queue>> touched() const;
  tl::unexpected<Error> name_entry(std::size_t i, const Error& error) const;

  Engine::Impl& engine_;
  const Transaction transaction_;
  const TransactionOptions options_;
  std::vector<TransactionStep> steps_;
  std::set<const Queue*> sent_to_;
  std::vector<std::shared_ptr<Queue>> full_;    // those that are to make room
  std::vector<std::shared_ptr<Queue>> moving_;  // those where what was released dies, or goes to the tail
};

}  // namespace holdfast
