// A seeded workload on a seeded set of queues over a simulated machine with seeded faults, with an audit
// after every step. The same seed does the same.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/transaction.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/shrink.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/world.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {

class Simulation {
 public:
  using MakeWorld = std::function<std::unique_ptr<World>(std::uint64_t seed)>;

  // `breaks`: the plan has faults and deaths of its own.
  explicit Simulation(std::uint64_t seed,
                      const MakeWorld& make_world = std::make_unique<MemoryWorld, std::uint64_t>,
                      bool breaks = true);

  // All of these throw Violation at the first broken promise.
  void run(const Steps& steps);
  void work(const Steps& steps);
  // Everything left is received and looked at: nothing is missing, nothing double, all ends.
  void drain();

  std::string trace() const { return trace_.text(); }

  // What some run must come to, or a campaign shows less than it says.
  enum class Mark : std::uint8_t {
    kDuplicate,
    kKnownBody,
    kClockSet,
    kQueueFull,
    kDiskFull,
    kStaleReceipt,
    kGivenWhileWaiting,
    kCommitted,
    kRowRemoved,
    kConditionFailed,
    kRedriven,
    kEdited,
    kExpired,
    kOverflowed,
    kOutlived,
    kParked,
    kRepeatedInAnotherLife,
    kRepeatedAfterStandstill,
    kTriaged,
    kDiscarded,
    kImported,
    kPurgedBesideTheDead,
    kArchived,
    kWriteFailed,
    kHappenedWithoutAnswer,
    kEnd,
  };
  using Marks = std::bitset<static_cast<std::size_t>(Mark::kEnd)>;
  const Marks& marks() const { return marks_; }

 private:
  struct Subject {
    std::string name;
    QueueOptions options;
    bool dead_letters = false;          // a dead letter queue
    std::uint32_t most_deliveries = 0;  // that were ever allowed; options have the fewest
  };

  // --- plan.cc: the queues ---
  void declare_queues();
  QueueOptions any_options();
  void add_semantics(QueueOptions& options);
  RetryPolicy any_retry();
  static bool is_bounded(const QueueOptions& options);
  // How often a message is delivered at least before it dies.
  static std::uint32_t fewest_until_death(const QueueOptions& options);

  // --- actions.cc: one of these a step ---
  void send();
  void send_to(const Subject& queue);
  void send_known_body(const Subject& queue);
  void receive();
  void settle();
  void extend();
  void redrive();
  void redrive_task();
  void triage();
  void discard();
  void transact();
  void repeat_send();
  void look();
  void pause();
  void alter();
  void purge();
  void come_and_go();
  void add_and_drop_family();
  void pass_time();
  void stand_still();
  void idle();
  void do_due();
  void break_something();
  void step(std::uint64_t number);

  // --- calls.cc ---
  using Receipts = std::span<const Receipt>;
  using Sends = BatchResult<Sent>;
  using Outcomes = std::vector<Result<void>>;
  bool calls_back();
  // An answer says no less than was asked.
  static void check_durability(Durability asked, Durability said);
  void check_durability(const std::string& queue, const SendOptions& options, const Sends& answers) const;
  Sends call_send(const std::string& queue, const std::vector<Message>& messages, const SendOptions& options);
  Outcomes call_ack(Receipts receipts, const SettleOptions& options);
  Outcomes call_release(Receipts receipts, const ReleaseOptions& options);
  Outcomes call_reject(Receipts receipts, const Rejection& rejection, const SettleOptions& options);
  Outcomes call_start(Receipts receipts);
  Outcomes call_extend(Receipts receipts, Duration lease, const ExtendOptions& options);
  Result<Committed> call_commit(const Transaction& transaction, const TransactionOptions& options);
  Result<Redriven> call_redrive(const std::string& queue, const RedriveOptions& options);

  // --- waiting.cc ---
  struct Wait;
  void wait_for_messages();
  // Notes what the receive that waits was given, if one does. False if a write failed.
  bool end_wait();
  // False if a write failed.
  bool receive_all(const Subject& queue);
  bool check_nothing_ready(const Subject& queue);

  // --- transactions.cc ---
  struct Transfer;
  void declare_family();
  std::optional<std::vector<std::string>> family_names();
  std::optional<std::string> row();
  void check_row();
  Settling outcome_of_reject(const Receipt& receipt) const;
  Transfer any_transfer();
  void note_transfer(const Transfer& transfer, const Result<Committed>& done);
  // `committed`: null if it is known only from what is there.
  void happened(const Transfer& transfer, const Committed* committed);
  void check_refusal(const Transfer& transfer, const Error& error);

  // --- repeats.cc: calls with a request id, and their repetition ---
  struct Call {
    const Subject* queue = nullptr;
    std::vector<Message> messages = {};
    SendOptions options = {};
    Duration at = {};  // by World::lived()
    std::vector<MessageId> ids = {};
    std::uint64_t life = 0;    // of the process
    bool stood_still = false;  // the process, since then
  };
  std::string any_request_id();  // often none
  void remember(const Subject& queue, const std::vector<Message>& messages, const SendOptions& options,
                const std::vector<Result<Sent>>& answers);
  void repeat_redrive(const std::string& queue, const RedriveOptions& options, const Result<Redriven>& first);
  // Settling was repeated: its answers are as they were.
  void check_repeated(const std::vector<Result<void>>& first, const std::vector<Result<void>>& again);

  // --- audit.cc ---
  void audit();
  std::vector<QueueInfo> queue_infos();
  void verify();
  void run_until_quiet();
  // False if there was nothing.
  bool drain_queues();
  void take_out(const Delivery& delivery);

  void reopen();
  // A call answered that a write failed: the engine is opened anew, after a power loss or not.
  void recover();
  void die();  // in one way or the other
  void lose_process();
  void lose_power();
  void recover_if(const Result<void>& answer);
  // The same for a call whose only error may be that.
  void recover_from(const char* verb, const Error& error);
  // Calls until it has its effect; false if a full disk is in the way. Another error is a violation.
  bool must_happen(const char* verb, const std::function<Result<void>()>& call);
  // The messages of one send have its durability, whichever were accepted.
  void note_synced(const std::vector<Result<Sent>>& answers);
  const Subject& any_queue(bool dead_letters);
  std::vector<Receipt> take_receipts();
  Duration any_wait();
  RedriveOptions any_redrive();
  RedriveEdit any_edit();
  // What the edit sets on a message of that queue, with that many replays by then.
  static RedriveEdit told(const RedriveEdit& edit, const std::string& queue, std::uint32_t replays);
  void park(const Subject& queue, const RedriveOptions& options);
  // What it would do. Nothing if a write failed.
  std::optional<Redriven> dry_run(const std::string& queue, RedriveOptions options);
  // None that was cancelled goes on. Nothing if a write failed.
  std::optional<std::vector<TaskStatus>> redrive_tasks();
  // What lies in dead letter queues that nothing takes it out of by itself, and in which. Nothing is known if
  // a write failed.
  Ledger::Places dead_for_good();
  // Leases that are there are shown, and no others.
  void check_leased();
  static void check_foreseen(const std::string& verb, const std::string& queue, const Redriven& foreseen,
                             const Result<Redriven>& answer);
  // The first that are dead there; nothing if a write failed.
  std::optional<std::vector<DeadLetter>> dead_letters(const std::string& queue, std::size_t max);
  // One of the first; nothing if none is.
  std::optional<DeadLetter> any_dead_letter(const std::string& queue);
  // `synced`: if it answers, all before it is on disk.
  template <class T>
  void note_answer(const char* verb, const std::string& queue, const Result<T>& answer, bool synced);
  // It may leave without anybody's doing.
  static bool may_leave(const QueueOptions& options, const Message& message);
  static bool may_be_dropped(const QueueOptions& options, const Message& message);
  Message any_message(const Subject& queue);
  Account new_account(const Subject& queue, const Message& message, Timestamp visible_at) const;
  void note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                 const Result<Sent>& answer);
  void check_bounds(const Subject& queue, const std::vector<Message>& messages,
                    const std::vector<Result<Sent>>& answers);
  // What the queue knows it by if it is sent again.
  static std::optional<std::string> name_of(const Subject& queue, const Message& message);
  void note_named(const Subject& queue, const Message& message, const std::string& name,
                  const Result<Sent>& answer);
  void note_there(const Subject& queue, const Message& message, Timestamp visible_at,
                  const std::optional<MessageId>& id);
  // Why deliveries fail, as the ledger knows it.
  Failure any_failure(Receipts receipts);
  struct Settlement;
  Settlement any_settlement();
  bool has_no_tail(const Receipt& receipt) const;
  // Answered, it is on disk.
  bool is_fsynced(const Settlement& settlement, const Receipt& receipt) const;
  void note_settled(const Settlement& settlement, const std::vector<Receipt>& receipts,
                    const std::vector<Result<void>>& answers);
  void note_outcome(const Settlement& settlement, const Receipt& receipt, const Result<void>& answer);
  // False if a write failed.
  bool note_received(const char* verb, const Subject& queue, const Result<Deliveries>& answer, bool started);
  void note_handed_out(const char* verb, const Subject& queue, const Result<Deliveries>& answer,
                       bool started);
  void take_in(const Subject& queue, const Deliveries& deliveries, bool started);
  void import(const Subject& queue, const DeadLetter& letter);
  void tell_home(const Subject& queue);

  void mark(Mark what, bool reached = true) {
    if (reached) marks_.set(static_cast<std::size_t>(what));
  }
  template <class... Parts>
  void note(const Parts&... parts) {
    trace_.add(step_, parts...);
  }

  // The plan is drawn from it, then it begins anew with each step.
  void begin(std::uint64_t step);

  const std::uint64_t seed_;
  testing::Random random_;
  std::unique_ptr<World> world_;
  const bool breaks_;
  Ledger ledger_;
  Trace trace_;
  Marks marks_;
  std::vector<Subject> queues_;
  std::deque<Receipt> receipts_;  // the last hand-outs
  std::shared_ptr<Wait> wait_;    // of a receive that waits
  // Sends that are known if they are repeated and on disk, by queue and name: when, and as which message.
  std::map<std::pair<std::string, std::string>, std::pair<Timestamp, MessageId>> known_ids_;
  // The same names, of sends that may be there: when last.
  std::map<std::pair<std::string, std::string>, Timestamp> tried_ids_;
  std::optional<Call> last_send_;   // with a request id, and answered
  ApplicationFamily family_;        // of every transaction
  std::optional<std::string> row_;  // of the last transaction
  std::set<TaskId> ended_tasks_;
  std::uint64_t step_ = 0;
  std::uint64_t bodies_ = 0;
  std::uint64_t calls_ = 0;  // with a request id
  std::uint64_t life_ = 0;
  bool full_ = false;
};

template <class T>
void Simulation::note_answer(const char* verb, const std::string& queue, const Result<T>& answer,
                             bool synced) {
  note(verb, queue, answer ? std::string("ok") : to_string(answer.error()));
  if (answer) {
    if (synced) ledger_.synced();
    return;
  }
  // A redrive that has begun, of which that is said again, cannot be waited for on a full disk.
  const bool refused = full_ && (answer.error().code == ErrorCode::kDiskFull ||
                                 answer.error().code == ErrorCode::kOutcomeUnknown);
  if (refused) return;
  if (answer.error().code != ErrorCode::kStorageFailed)
    throw Violation(std::string(verb) + ": " + to_string(answer.error()));
  recover();
}

}  // namespace holdfast::simulation
