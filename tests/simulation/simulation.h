// A seeded workload on a seeded set of queues, over a simulated machine with seeded faults, with an audit
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
#include "tests/simulation/event_record.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/shrink.h"
#include "tests/simulation/world.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {

class Simulation {
 public:
  using MakeWorld = std::function<std::unique_ptr<World>(std::uint64_t seed)>;

  // If `breaks` is true, the simulation itself lets writes fail, and processes and machines die.
  explicit Simulation(std::uint64_t seed,
                      const MakeWorld& make_world = std::make_unique<MemoryWorld, std::uint64_t>,
                      bool breaks = true);

  // These functions throw Violation at the first broken promise.
  void run(const Steps& steps);
  void work(const Steps& steps);
  // Receives and looks at everything that is left: nothing is missing, nothing is double, and everything
  // ends.
  void drain();

  std::string event_record() const { return record_.text(); }

  // What some run of a campaign must reach. Otherwise the campaign shows less than it should.
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
    bool dead_letters = false;          // it is a dead letter queue
    std::uint32_t most_deliveries = 0;  // the greatest limit of all times; the options have the least
  };

  // --- plan.cc: the queues ---
  void declare_queues();
  QueueOptions any_options();
  void add_semantics(QueueOptions& options);
  RetryPolicy any_retry();
  static bool is_bounded(const QueueOptions& options);
  // Returns how often a message is delivered at least before it dies.
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
  void check_asks_in_time(Timestamp next);
  void break_something();
  void step(std::uint64_t number);

  // --- calls.cc ---
  using Receipts = std::span<const Receipt>;
  using Sends = BatchResult<Sent>;
  using Outcomes = std::vector<Result<void>>;
  bool calls_back();
  // Checks that an answer says no less than was asked for.
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
  // Notes what a waiting receive was given, if one waits. Returns false if a write failed.
  bool end_wait();
  // These return false if a write failed.
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
  // Notes that the transfer has happened. `committed` is null if only what is there shows that.
  void happened(const Transfer& transfer, const Committed* committed);
  void check_refusal(const Transfer& transfer, const Error& error);

  // --- repeats.cc: calls with a request id, and their repetition ---
  struct Call {
    const Subject* queue = nullptr;
    std::vector<Message> messages = {};
    SendOptions options = {};
    Duration at = {};  // by World::lived()
    std::vector<MessageId> ids = {};
    std::uint64_t life = 0;    // the life of the process in which the call was made
    bool stood_still = false;  // whether the process has stood still since then
  };
  std::string any_request_id();  // returns an empty text in many cases
  void remember(const Subject& queue, const std::vector<Message>& messages, const SendOptions& options,
                const std::vector<Result<Sent>>& answers);
  void repeat_redrive(const std::string& queue, const RedriveOptions& options, const Result<Redriven>& first);
  // Checks that a repeated settlement has the same answers as the first one.
  void check_repeated(const std::vector<Result<void>>& first, const std::vector<Result<void>>& again);

  // --- audit.cc ---
  void audit();
  std::vector<QueueInfo> queue_infos();
  void verify();
  void run_until_quiet();
  // Returns false if there was nothing to take out.
  bool drain_queues();
  void take_out(const Delivery& delivery);

  void reopen();
  // Opens the engine anew after a call answered that a write failed. A power loss may come before that.
  void recover();
  void die();  // the process or the machine dies
  void lose_process();
  void lose_power();
  void recover_if(const Result<void>& answer);
  // Does what recover_if() does, for a call that may have no other error.
  void recover_from(const char* verb, const Error& error);
  // Calls until the call has its effect. Returns false if a full disk is in the way. Any other error is a
  // violation.
  bool must_happen(const char* verb, const std::function<Result<void>()>& call);
  // Notes what is synced. The messages of one send share its durability, whichever of them were accepted.
  void note_synced(const std::vector<Result<Sent>>& answers);
  const Subject& any_queue(bool dead_letters);
  std::vector<Receipt> take_receipts();
  Duration any_wait();
  RedriveOptions any_redrive();
  RedriveEdit any_edit();
  // Returns what the edit sets on a message of that queue that has had that many replays by then.
  static RedriveEdit told(const RedriveEdit& edit, const std::string& queue, std::uint32_t replays);
  void park(const Subject& queue, const RedriveOptions& options);
  // Returns what the redrive would do; nothing if a write failed.
  std::optional<Redriven> dry_run(const std::string& queue, RedriveOptions options);
  // Returns the tasks, and checks that no cancelled one goes on. Returns nothing if a write failed.
  std::optional<std::vector<TaskStatus>> redrive_tasks();
  // Returns what lies in dead letter queues from which nothing is taken by itself, and in which of them. It
  // is empty if a write failed.
  Ledger::Places dead_for_good();
  // Checks that the leases that are there are shown, and no others.
  void check_leased();
  static void check_foreseen(const std::string& verb, const std::string& queue, const Redriven& foreseen,
                             const Result<Redriven>& answer);
  // Returns the first letters that are dead there; nothing if a write failed.
  std::optional<std::vector<DeadLetter>> dead_letters(const std::string& queue, std::size_t max);
  // Returns one of the first letters; nothing if there is none.
  std::optional<DeadLetter> any_dead_letter(const std::string& queue);
  // Notes an answer. If `synced` is true and the call succeeded, everything before it is on disk.
  template <class T>
  void note_answer(const char* verb, const std::string& queue, const Result<T>& answer, bool synced);
  // Returns whether the message may leave without anybody's doing.
  static bool may_leave(const QueueOptions& options, const Message& message);
  static bool may_be_dropped(const QueueOptions& options, const Message& message);
  Message any_message(const Subject& queue);
  Account new_account(const Subject& queue, const Message& message, Timestamp visible_at) const;
  void note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                 const Result<Sent>& answer);
  void check_bounds(const Subject& queue, const std::vector<Message>& messages,
                    const std::vector<Result<Sent>>& answers);
  // Returns the name by which the queue recognises the message if it is sent again.
  static std::optional<std::string> name_of(const Subject& queue, const Message& message);
  void note_named(const Subject& queue, const Message& message, const std::string& name,
                  const Result<Sent>& answer);
  void note_there(const Subject& queue, const Message& message, Timestamp visible_at,
                  const std::optional<MessageId>& id);
  // Returns a reason why deliveries fail, which the ledger knows.
  Failure any_failure(Receipts receipts);
  struct Settlement;
  Settlement any_settlement();
  bool has_no_tail(const Receipt& receipt) const;
  // Returns whether the settlement is on disk once it is answered.
  bool is_fsynced(const Settlement& settlement, const Receipt& receipt) const;
  void note_settled(const Settlement& settlement, const std::vector<Receipt>& receipts,
                    const std::vector<Result<void>>& answers);
  void note_outcome(const Settlement& settlement, const Receipt& receipt, const Result<void>& answer);
  // Returns false if a write failed.
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
    record_.add(step_, parts...);
  }

  // Seeds random_ for a step. The plan is drawn from the seed itself.
  void begin(std::uint64_t step);

  const std::uint64_t seed_;
  testing::Random random_;
  std::unique_ptr<World> world_;
  const bool breaks_;
  Ledger ledger_;
  EventRecord record_;
  Marks marks_;
  std::vector<Subject> queues_;
  std::deque<Receipt> receipts_;  // receipts of the newest deliveries
  std::shared_ptr<Wait> wait_;    // the state of a receive that waits
  // Sends whose repetition is recognised and that are on disk, by queue and name: when they were made, and
  // the message's id.
  std::map<std::pair<std::string, std::string>, std::pair<Timestamp, MessageId>> known_ids_;
  // Sends that may be there, by queue and name: when they were last tried.
  std::map<std::pair<std::string, std::string>, Timestamp> tried_ids_;
  std::optional<Call> last_send_;   // the last answered send that had a request id
  ApplicationFamily family_;        // the family of every transaction
  std::optional<std::string> row_;  // the row of the last transaction
  std::set<TaskId> ended_tasks_;
  std::uint64_t step_ = 0;
  std::uint64_t bodies_ = 0;
  std::uint64_t calls_ = 0;  // how many calls had a request id
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
  // On a full disk, a redrive that was started cannot be waited for. A repetition says so again.
  const bool refused = full_ && (answer.error().code == ErrorCode::kDiskFull ||
                                 answer.error().code == ErrorCode::kOutcomeUnknown);
  if (refused) return;
  if (answer.error().code != ErrorCode::kStorageFailed)
    throw Violation(std::string(verb) + ": " + to_string(answer.error()));
  recover();
}

}  // namespace holdfast::simulation
