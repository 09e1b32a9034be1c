// The inside of an Engine: its calls, which the folders above define, each its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/context/context.h"
#include "engine/sync/mutex.h"
#include "engine/sync/thread.h"
#include "holdfast/engine.h"

namespace holdfast {

struct Plan;  // redrive/plan.h

// The calls of an engine, over what they share.
class Engine::Impl : public EngineContext {
 public:
  // After something that is due could not be read, before it is tried again.
  static constexpr Duration kPauseAfterError = std::chrono::seconds(1);

  Impl(std::unique_ptr<Store> store_to_own, EngineOptions engine_options);

  // Reads the catalog and the window, and makes this opening's epoch durable. See recovery.cc.
  Result<void> recover() HOLDFAST_NOT_ANALYSED;
  // Starts the threads. kOverloaded if one cannot be had; close() follows all the same.
  Result<void> start();
  Result<void> close();

  // Held for the length of a call: close() waits for it. kClosed, kStorageFailed.
  class Call {
   public:
    explicit Call(std::shared_lock<sync::SharedMutex> lock) : lock_(std::move(lock)) {}

   private:
    std::shared_lock<sync::SharedMutex> lock_;
  };
  Result<Call> begin_call();
  // Begins a call that only looks, which works after a failed write too. kClosed.
  Result<Call> keep_open();

  // Without locks: what to answer of a queue that was met deleted. Waits for the deletion's commit.
  Error after_deletion(const std::shared_ptr<Queue>& queue);

  // --- async_call.cc ---

  // Makes a call with a callback once it holds its request id: on this thread if it does so now, nothing
  // earlier needs to be looked for on disk and it does not block by itself; else on the background thread.
  // Nobody waits: a call whose id is held stands in line. What can be refused at once is, on this thread.
  using RequestCall = std::function<void(Result<HeldRequest>)>;
  void start_request(const std::string& id, bool may_block, RequestCall call);

  // --- messages/send.cc ---

  void start_send(std::string_view queue, std::span<const Message> messages, const SendOptions& send_options,
                  const Result<HeldRequest>& request, SendCallback done);

  // --- messages/leased_batch.cc ---

  struct ReceiveRequest {
    std::size_t max = 1;
    Duration lease{};
    Duration wait{};
    std::shared_ptr<const Consumer> consumer;
    std::uint64_t token = 0;  // of a receive with a callback
    // False: it must not be held up by reading from the store; kMustLoad then.
    bool may_block = true;
    bool prefetch = false;
  };
  struct Received {
    enum class State : std::uint8_t {
      kDone,      // `batch` has messages, or none
      kWaiting,   // the queue has got a waiter
      kMustLoad,  // `batch` has fewer than there may be, and the receive is to go on, on the background
                  // thread; `token` is in the queue's `loading`
    } state = State::kDone;
    LeasedBatch batch = {};
  };
  // Messages if there are any, after those that `batch` has already; else the queue's waiter
  // `make_waiter()` if the request waits; else none. It looks past all that have expired, in steps between
  // which others get the queue's lock.
  Result<Received> lease_batch(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                               LeasedBatch batch, const std::function<Waiter()>& make_waiter);
  using ReceiveCallback = Callback<Deliveries>;
  // Whether it goes on, on the background thread.
  bool start_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request, LeasedBatch batch,
                     ReceiveCallback done);
  // What a receive does that may be held up, part after part.
  void go_on_receiving(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request, LeasedBatch so_far,
                       ReceiveCallback done);
  // Calls `done` with the deliveries once they are committed; never before on this thread, since the queue
  // may be locked here.
  void finish_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                      Result<LeasedBatch> batch, ReceiveCallback done);
  bool is_cached(QueueId queue, const LeasedBatch& batch);
  // Fills the batch up to `max`, within its budget.
  void grant(const std::shared_ptr<Queue>& queue, std::size_t max, LeasedBatch& batch)
      HOLDFAST_REQUIRES(queue->mutex) HOLDFAST_REQUIRES_SHARED(pipeline.gate());
  // The deliveries that can be read; the others are given back: what cannot be read with a pause, and of an
  // ordered queue what is behind that too. An error if nothing can be read.
  // `tried`: chunks that could not be read so far, which are not read again.
  using UnreadChunks = std::map<Seq, Error>;
  Result<Deliveries> assemble(Queue& queue, const LeasedBatch& batch, UnreadChunks& tried);
  // The same, and if nothing can be read, what the queue has behind that. The batch is committed.
  Result<Deliveries> deliver(const std::shared_ptr<Queue>& queue, ReceiveRequest request,
                             const LeasedBatch& batch);
  // Uncharged, since nobody has seen them; at once or after the delay.
  void give_back(std::span<const Receipt> receipts, std::optional<Duration> delay);
  // What to say of a message that was handed out and whose chunk gave this error; nothing if it is gone.
  std::optional<Error> why_unread(Queue& queue, const Receipt& receipt, const Error& error);
  // To be called after messages became ready, or timers changed.
  void after_change(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(pipeline.gate());
  // Reads the chunks that receives wait for, which after_change() may not do.
  void load_for_waiters(const std::shared_ptr<Queue>& queue);
  void end_waits(Queue& queue, Timestamp deadline) HOLDFAST_REQUIRES(queue.mutex);
  // Of all queues, after a write failed: there will be no message for them.
  void fail_waits(const Error& error);

  // --- messages/settle.cc ---

  struct Settled {
    std::vector<Result<void>> results;
    std::optional<GroupNumber> group;        // set if anything is to be committed
    std::optional<GroupNumber> synced = {};  // of what is to be on disk, the last one
    HeldRequest request = {};                // until then

    void joined(GroupNumber last, Durability asked) {
      group = last;
      if (asked == Durability::kFsync) synced = last;
    }
  };
  // Applies `settle_one` to each valid receipt under its queue's lock.
  using Settle = std::function<void(Queue& queue, Seq seq, Timestamp time)>;
  // Whether it may be settled so; asked before.
  using Check = std::function<Result<void>(const Queue& queue, Seq seq)>;
  Settled settle(std::span<const Receipt> receipts, std::optional<Durability> durability, HeldRequest request,
                 const Settle& settle_one, const Check& check = {});
  static Settled all_refused(std::size_t count, const Error& error);
  // The same, of so many receipts at a time that what is said of each of their failures is a few MiB, which
  // are committed before the next ones. `said`: null if nothing is.
  Settled settle_in_steps(std::span<const Receipt> receipts, const std::shared_ptr<const std::string>& said,
                          const Settle& settle_one, const Check& check = {});

  // The blocking and the callback form of a batch verb over the same submit.
  using Submit = std::function<Settled(std::span<const Receipt> receipts)>;
  std::vector<Result<void>> blocking_batch(std::span<const Receipt> receipts, const Submit& submit);
  // On the background thread if it `may_block`.
  void async_batch(std::span<const Receipt> receipts, bool may_block, BatchCallback done, Submit submit);
  // The same under a request id. `submit` gets what holds the id.
  using SubmitRequest = std::function<Settled(std::span<const Receipt> receipts, const HeldRequest& request)>;
  std::vector<Result<void>> blocking_batch(std::span<const Receipt> receipts, const std::string& request_id,
                                           const SubmitRequest& submit);
  void async_batch(std::span<const Receipt> receipts, const std::string& request_id, bool may_block,
                   BatchCallback done, SubmitRequest submit);

  Settled submit_ack(std::span<const Receipt> receipts, const SettleOptions& ack_options,
                     HeldRequest request);
  Settled submit_extend(std::span<const Receipt> receipts, Duration lease,
                        const ExtendOptions& extend_options);
  Settled submit_start(std::span<const Receipt> receipts);
  Settled submit_release(std::span<const Receipt> receipts, const ReleaseOptions& release_options);
  Settled submit_reject(std::span<const Receipt> receipts, const Rejection& rejection,
                        const SettleOptions& reject_options, HeldRequest request);

  // --- transactions/commit.cc ---

  void start_commit(Transaction transaction, const TransactionOptions& commit_options,
                    const Result<HeldRequest>& request, const Callback<Committed>& done);

  // --- dead_letters/dead_letter.cc ---

  // Moves one message, with the record of why, in one atomic write. `record` has the
  // cause and what the last failure was; the rest is filled in. `told`: the failures before that, too.
  void dead_letter(Queue& source, Queue& target, const MessageRef& ref, const MessageView& message,
                   FailureRecord record, const ToldFailures& told, Timestamp time)
      HOLDFAST_REQUIRES(source.mutex, target.mutex);

  // A message that expired or made room is gone.
  void drop(Queue& queue, const MessageRef& ref, const MessageView& message, EventKind why, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex);

  // An exhausted message goes where it is to go; with nowhere to go it is ready again.
  void settle_exhausted(Queue& queue, const std::shared_ptr<Queue>& target, const MessageRef& ref,
                        const MessageView& message, const ToldFailures& told, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex, target->mutex);

  // Exhausted messages with all that is read to move them: the first `count` of them.
  struct ExhaustedBatch {
    std::vector<MessageRef> refs = {};
    std::vector<ToldFailures> told = {};
    ChunkLoader::LoadedChunks chunks = {};
    std::size_t count = 0;
    std::set<std::string> categories = {};  // of their failures

    std::size_t body_bytes(std::size_t i) const {
      return chunks[i] ? (*chunks[i])->message(refs[i].index).body.size() : 0;
    }
  };
  ExhaustedBatch load_exhausted(Queue& queue, Seq from, std::optional<GroupNumber> before);
  // The error of what could not be read.
  Result<void> settle_exhausted_at(Queue& queue, const std::shared_ptr<Queue>& target,
                                   const ExhaustedBatch& step, std::size_t i, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex, target->mutex);

  // Moves the queue's exhausted messages to its dead letter queue. Gives the last group, if any moved. A call
  // that made them exhausted moves all; `kSome` is what takes some tens of milliseconds, and the scheduler
  // looks after the rest.
  enum class HowMany : bool { kAll, kSome };
  static constexpr std::size_t kDeadLetteredAtOnce = 4096;
  static constexpr std::size_t kDeadLetteredBytesAtOnce = 16 << 20;
  Result<std::optional<GroupNumber>> dead_letter_exhausted(const std::shared_ptr<Queue>& queue,
                                                           HowMany how = HowMany::kAll);
  // Some of them, committed. Whether any moved.
  bool dead_letter_some(const std::shared_ptr<Queue>& queue);

  // --- upkeep/schedule.cc ---

  // Messages of the window that wait for long leave it, a bounded number of them. Gives the last group, if
  // any left.
  std::optional<GroupNumber> spill_waiting(const std::shared_ptr<Queue>& queue);
  // Messages on their way to the tail get there, or into `scheduled` until they are due. Gives the last
  // group, if any moved.
  std::optional<GroupNumber> return_to_tail(const std::shared_ptr<Queue>& queue);
  // Messages of `scheduled` that are due enter the log, a bounded number of them.
  Result<void> enter_due(const std::shared_ptr<Queue>& queue);
  // While the wall clock and the engine's time differ, what waits for a time of day comes earlier or later
  // than the scheduler was told. Gives when to look again.
  Timestamp follow_wall_clock(Timestamp time);
  // Tells of a step of the wall clock. Gives the group of the event.
  std::optional<GroupNumber> tell_step(Timestamp time);

  // --- upkeep/expiry.cc ---

  // Messages whose time to live ran out become exhausted, a bounded number of them.
  Result<void> expire_messages(const std::shared_ptr<Queue>& queue);
  // expire_messages() for a receive, which calls this until nothing expires any more before it hands anything
  // out.
  Result<void> pass_expired(const std::shared_ptr<Queue>& queue);
  // expire_messages() for run_due(): more of them where somebody waits for messages.
  void expire_due(const std::shared_ptr<Queue>& queue);

  // --- upkeep/overflow.cc ---

  // Of a queue with too many messages some leave, as do the exhausted. Gives the last group, if any did.
  Result<std::optional<GroupNumber>> make_room(const std::shared_ptr<Queue>& queue);

  // --- redrive/redrive.cc ---

  // Checks what `asked` asks, which has kind, queue_name and options, and fixes the selection.
  Result<RedriveTask> make_task(RedriveTask asked);
  // kMessageNotFound if it names dead letters and none of them is there.
  Result<void> check_selection(const RedriveTask& task) const;
  // The task that an earlier call under the request id, which `request` holds, has begun; null if there is
  // none.
  Result<std::shared_ptr<RedriveJob>> begun_before(const HeldRequest& request, const RedriveTask& asked);
  // That one, or a new one, which is durable, so that a crash does not forget it. `driven`: the caller makes
  // its steps.
  Result<std::shared_ptr<RedriveJob>> begin_task(RedriveTask asked, RedriveTransform transform, bool driven);
  static constexpr std::atomic<bool> kNotCancelled = false;
  // From start to end, or to where it is cancelled.
  Result<Redriven> run_task(TaskKind kind, std::string_view queue_name, RedriveOptions task_options,
                            const std::atomic<bool>& cancelled = kNotCancelled);
  // Ends a task that runs.
  Result<void> cancel_task(RedriveJob& job, const std::string& actor);
  // run_task() on the pool.
  CallToken post_task(TaskKind kind, std::string_view queue, RedriveOptions task_options,
                      Callback<Redriven> done);

  // --- upkeep/policies.cc ---

  // What is due of the queue's policies.
  Result<void> run_policies(const std::shared_ptr<Queue>& queue, Timestamp time);
  // Ends the brake, if its time is over or it is wanted no more.
  void end_brake(const std::shared_ptr<Queue>& queue, Timestamp time) HOLDFAST_REQUIRES(queue->mutex)
      HOLDFAST_REQUIRES_SHARED(pipeline.gate());
  void judge_depth(Queue& queue, Timestamp time) HOLDFAST_REQUIRES(queue.mutex);
  void tell(Queue& queue, const std::vector<AlertChange>& changes, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex);
  // A message of the queue died.
  void note_death(Queue& source, DeathCause cause, Timestamp time) HOLDFAST_REQUIRES(source.mutex);
  Result<void> judge_alerts(const std::shared_ptr<Queue>& queue, Timestamp time);

  // --- redrive/auto_redrive.cc ---

  // kTaskNotFound.
  Result<TaskStatus> task_status(TaskId id) const;
  // A round of the queue's policy.
  Result<void> auto_redrive(const std::shared_ptr<Queue>& queue);

  // --- redrive/step.cc ---

  // Moves the next few and waits for their commit. Gives when the task wants its next step; max() if it has
  // ended. After an error, such as kDiskFull, it is where it was.
  Result<Timestamp> step_task(RedriveJob& job);
  // Without an id the moves are of no task. Nothing moves if `still_wanted`, which is asked under the locks,
  // says no.
  Result<void> commit_step(std::optional<TaskId> id, const std::shared_ptr<Queue>& from, Plan& plan,
                           RedriveTask& task, const std::function<bool()>& still_wanted = {});
  // Whether the task may go on; it may have ended.
  Result<bool> look_at_canary(RedriveJob& job) HOLDFAST_REQUIRES(job.step_mutex);
  Result<void> end_task(RedriveJob& job, TaskState state, std::optional<Error> failure,
                        std::string cancelled_by = {}) HOLDFAST_REQUIRES(job.step_mutex);
  Result<void> forget_old_tasks();
  // A step of each task that runs in the background. Gives when it next wants to be called.
  Timestamp run_tasks();

  // --- dead_letters/retention.cc ---

  // If it is time to, archives and deletes what the queue keeps no longer, a bounded number, and has the
  // scheduler look again: at once if there may be more, else when the next is due. In the background on a
  // thread of its own: whatever the archive waits for, nothing else does.
  void retain(const std::shared_ptr<Queue>& queue);
  void retain_some(const std::shared_ptr<Queue>& queue, Timestamp time);
  // False: nothing went. The archive is safe before anything is deleted.
  Result<bool> retain_step(const std::shared_ptr<Queue>& queue, Timestamp time);
  Result<Timestamp> first_retention(Queue& queue);
  // Looks up when the queue's next dead letter is kept no longer, and has the scheduler look then. After a
  // change of what is kept, or for how long; which has happened, so that what cannot be read is read later.
  void plan_retention(const std::shared_ptr<Queue>& queue);
  // A record of the queue will be kept no longer from `due` on.
  void expect_retention(Queue& queue, Timestamp due) HOLDFAST_REQUIRES(queue.mutex);
  // A dead letter that came to the queue at `time` will be kept for as long as its options say.
  void expect_unresolved(Queue& queue, Timestamp time) HOLDFAST_REQUIRES(queue.mutex);
  // What a valid receipt names is done. Of a dead letter the record stays as history, for which `actor` did
  // it; its consumer if that is empty.
  void ack(Queue& queue, Seq seq, Timestamp time, const std::string& actor) HOLDFAST_REQUIRES(queue.mutex);

  Timestamp run_due();
  // Thins out chunks that stay for a few stragglers, a bounded number. True if there may be more.
  bool compact_chunks(const std::shared_ptr<Queue>& queue);
  // Has the space of the queue's removed chunks looked after, if there are any.
  void reclaim(Queue& queue);

 private:
  void run_background();
  // Opening: no other thread is there yet, so nothing is locked.
  Result<void> recover_queues() HOLDFAST_NOT_ANALYSED;
  Result<void> recover_dedup(Queue& queue) HOLDFAST_NOT_ANALYSED;
  Result<void> recover_window() HOLDFAST_NOT_ANALYSED;
  Result<void> recover_schedule(Queue& queue) HOLDFAST_NOT_ANALYSED;
  void look_for_space(const std::shared_ptr<Queue>& queue) HOLDFAST_NOT_ANALYSED;
  // Their functions ended with the process: what that changes is put into `changes`.
  Result<void> recover_tasks(Batch& changes);
  Result<void> recover_families();
  Result<void> check_format(bool& fresh);
  Result<void> check_empty();

  sync::SharedMutex calls_;
  sync::Mutex close_mutex_;
  std::optional<Result<void>> closed_;
  sync::Thread background_;
};

}  // namespace holdfast
