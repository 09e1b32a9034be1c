// A TransactionRun is one transaction on its way into a commit group. It is prepared without locks, and then
// checked and applied under the locks of all its queues, so that it happens as a whole or not at all.
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
    GroupNumber group{};                       // the group that commits it
    GroupNumber last{};                        // the group that commits what follows from it
    Durability asked = Durability::kBuffered;  // of `group`; kBuffered without effect
    std::optional<Error> refused = {};  // the answer, if the transaction is refused, by what `last` commits
    HeldRequest request = {};           // held until the group is committed
    SpaceWatch::Claim space = {};       // held until the group is committed
    std::vector<std::shared_ptr<Queue>> full = {};  // queues that must make room, after which `last` is later
  };
  // Submits the transaction. It may read from disk and wait for commits. An error names the entry. `request`
  // holds the request id of the options.
  Result<Submitted> submit(HeldRequest request) HOLDFAST_EXCLUDES(inside_gate);

 private:
  // A TransactionStep has what is known of an entry. Steps are in the order of the entries.
  struct TransactionStep {
    std::shared_ptr<Queue> queue;              // of a send, ack, reject or release
    std::shared_ptr<Queue> target;             // of a reject: where dead letters of its category go
    std::optional<RejectCandidate> candidate;  // of a reject
    std::unique_ptr<SendLookup> lookup;        // of a send
  };

  std::uint64_t content() const;
  Result<Submitted> submit_new(HeldRequest request) HOLDFAST_EXCLUDES(inside_gate);
  Result<void> validate_entries() const;
  // Admits the bytes of sends and puts. Other entries need no space. A transaction with at least as many acks
  // as sends may use half of the reserve. kDiskFull.
  Result<SpaceWatch::Claim> admit() const;
  Result<void> find_queues();
  Result<void> find_queue(std::size_t i);
  // Finds the messages that are rejected. kLimitExceeded if they are too large together.
  Result<void> find_rejected() HOLDFAST_EXCLUDES(inside_gate);
  Result<void> load_rejected() HOLDFAST_EXCLUDES(inside_gate);
  Result<void> read_expected(GroupNumber& seen) const HOLDFAST_EXCLUDES(inside_gate);
  Result<void> look_up_sends() HOLDFAST_EXCLUDES(inside_gate);

  // Returns whether what was prepared is out of date. The caller holds the locks of all queues, by
  // LockedQueues, which the analysis cannot look into; so the function checks it when it runs.
  bool outdated() const;
  std::optional<GroupNumber> written_since(GroupNumber seen) const
      HOLDFAST_REQUIRES(engine_.families.write_mutex);
  // `Before` has what the entries before one entry do.
  struct Before {
    std::map<const Queue*, QueueBounds::Load> loads = {};  // of queues with bounds
    std::set<std::pair<const Queue*, DedupKey>> sent = {};
  };
  Result<void> check(std::size_t i, Timestamp time, Before& before) const
      HOLDFAST_REQUIRES(engine_.families.write_mutex);
  Result<void> check_send(std::size_t i, Timestamp time, Before& before) const;
  // Returns whether the message was sent before, in this transaction or another.
  static bool is_duplicate(const TransactionStep& step, Timestamp time, const Before& before)
      HOLDFAST_REQUIRES(step.queue->mutex);
  static void note_arriving(const Queue& queue, std::int64_t bytes, Before& before)
      HOLDFAST_REQUIRES(queue.mutex);
  Result<void> check_all(Timestamp time) const HOLDFAST_REQUIRES(engine_.families.write_mutex);
  void apply(std::size_t i, Timestamp time, Submitted& submitted)
      HOLDFAST_REQUIRES(engine_.families.write_mutex)
          HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate(), inside_gate);
  Submitted apply_all(Timestamp time) HOLDFAST_REQUIRES(engine_.families.write_mutex)
      HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate(), inside_gate);
  // Applies all entries, and records the answer for repetitions.
  Submitted apply_and_record(const HeldRequest& request, Timestamp time)
      HOLDFAST_REQUIRES(engine_.families.write_mutex)
          HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate(), inside_gate);

  // An Attempt says what became of a try to apply all entries.
  struct Attempt {
    // Nothing was applied, since what was prepared is out of date.
    bool outdated = false;
    // Nothing was applied, since this group has written one of the expected keys after it was read.
    std::optional<GroupNumber> newer = {};
    Result<void> checked = {};                // otherwise: whether the entries may be applied
    GroupNumber deletion{};                   // the last group that deletes a queue or family they may need
    std::optional<Submitted> submitted = {};  // set if they were applied
  };
  // `seen` is what read_expected() has returned.
  Attempt try_to_apply(const HeldRequest& request, GroupNumber seen) HOLDFAST_EXCLUDES(inside_gate);
  // Moves messages as the entries have made necessary.
  void do_what_follows(Submitted& submitted) HOLDFAST_EXCLUDES(inside_gate);

  std::vector<std::shared_ptr<Queue>> touched() const;
  // Returns the answer of a transaction that is refused: once `group` is committed, and what took away the
  // message that it could not find.
  Submitted refusal(const Error& error, GroupNumber group) const HOLDFAST_EXCLUDES(inside_gate);
  tl::unexpected<Error> name_entry(std::size_t i, const Error& error) const;

  Engine::Impl& engine_;
  const Transaction transaction_;
  const TransactionOptions options_;
  std::vector<TransactionStep> steps_;
  std::set<const Queue*> sent_to_;
  std::vector<std::shared_ptr<Queue>> moving_;  // queues in which a released message dies or goes to the tail
};

}  // namespace holdfast
