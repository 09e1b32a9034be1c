// The embedded engine: a directory of queues, opened by one process.
//
//   auto engine = holdfast::Engine::open("data");
//   if (!engine) return report(engine.error());
//   auto sent = engine->send("orders", {.body = "42 widgets"});
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/archive_sink.h"
#include "holdfast/broker.h"
#include "holdfast/detail/verbs.h"
#include "holdfast/event.h"
#include "holdfast/findings.h"
#include "holdfast/transaction.h"

namespace holdfast {

struct EngineOptions {
  // Open fails with kInvalidArgument if the directory holds no engine and this is false.
  bool create_if_missing = true;

  // Where time comes from; must outlive the engine.
  const Clock* clock = &system_clock();

  // true: the engine runs a thread that does what falls due (leases, delays, waits, unfinished
  // redrives). false: nothing falls due except in run_due(), so that a test decides when.
  bool background = true;

  // Memory for messages read or written lately, beside RocksDB's own caches.
  std::size_t message_cache_bytes = 32 << 20;

  // Bytes that sends leave free on the device, for flushes and compactions, and so that acks, which free
  // space, go on. Below it send and redrive are refused with kDiskFull, and redrives that run wait, until
  // space returns; and below half of it transactions that ack at least as much as they send are refused. 0:
  // not watched. Else at least limits::kReserveWriteBuffers times write_buffer_bytes: open() of a directory
  // refuses less with kInvalidArgument. Beside it the file `ballast` in the directory holds one and a half
  // times write_buffer_bytes, or more while the logs are larger, if there is room for four times as much;
  // open() lets it go on a full device.
  std::uint64_t free_space_reserve = 256 << 20;

  // Makes message ids of this opening differ from all others'; random by default. A simulation sets it.
  std::optional<std::uint64_t> id_salt = {};

  // Where dead letters are written, and fsynced, before retention deletes them (QueueOptions::keep_replayed,
  // keep_abandoned): JSON lines compressed with zstd, a file a queue and opening, QUEUE-TIME.jsonl.zst; a
  // crash may leave a dead letter in two of them. Empty: the folder `archive` of the opened directory;
  // without a directory retention deletes nothing.
  std::filesystem::path archive_directory = {};
  // Or another place for them: see ArchiveSink. kInvalidArgument with a directory beside it.
  std::shared_ptr<ArchiveSink> archive = {};

  // RocksDB's block cache and memtables.
  std::size_t block_cache_bytes = 64 << 20;
  std::size_t write_buffer_bytes = 64 << 20;
};

template <class T>
using Callback = std::function<void(Result<T>)>;

// A movable handle. The destructor closes. See Broker for the verbs.
class Engine final : public Broker {
 public:
  class Impl;  // the inside

  // Opens the queues of a directory, creating it if it is missing. kLocked if another engine has it,
  // kInvalidArgument if it holds the RocksDB database of another program, or the reserve is too small,
  // kFormatTooNew, kCorruption, kStorageFailed, kOverloaded if no thread can be had; the directory is free
  // again then. Takes time in proportion to the messages in flight.
  static Result<Engine> open(const std::filesystem::path& directory, EngineOptions options = {});

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine() override;

  // Refuses new calls with kClosed, also those that callbacks make, ends waiting receives with an empty list,
  // waits for what is in flight, makes everything durable and lets go of the directory. What works through
  // much is not waited for: backup, verify, compact and previews under way end with kClosed, redrive, park
  // and changes of many dead letters after their present step. Safe to call twice.
  Result<void> close();

  // Does what is due: leases and delays that ran out, waits that ended, unfinished redrives, a bounded
  // amount at a time. Gives the time, by the wall clock as it is set now, at which it next wants to be
  // called. Needed only without `background`.
  Timestamp run_due();

  // --- backups ---

  // The readable backups of a directory, oldest first. kInvalidArgument if there are none.
  static Result<std::vector<BackupInfo>> list_backups(const std::filesystem::path& backups);
  // Makes a new data directory of a backup; checks checksums. Never overwrites: kInvalidArgument if
  // `directory` is there and not empty, or where a file system is mounted. It comes to be in whole or not at
  // all. kCorruption if the backup is damaged, also where an older one is not. Receipts that the original
  // gave out after the backup settle nothing in it; those from before do, since their deliveries go on in
  // both.
  static Result<BackupInfo> restore(const std::filesystem::path& backups,
                                    const std::filesystem::path& directory, RestoreOptions options = {});

  // --- checking and saving what is stored ---

  // As Broker::verify, of a closed directory. kLocked, kInvalidArgument (no store there); one that can't be
  // opened is a finding.
  static Result<VerifyReport> verify(const std::filesystem::path& directory);
  // Brings what can be read of a damaged directory into a new one, and says what was lost: what is in damaged
  // blocks. `from` stays as it is; its rows are collected beside `to` first. Messages that were done may come
  // back, since the note that they were may be lost. kInvalidArgument (nothing of a store in `from`; of `to`
  // see restore()), kLocked, kStorageFailed.
  static Result<SalvageReport> salvage(const std::filesystem::path& from, const std::filesystem::path& to);

  // Whether the engine writes, and sends. Works also when other calls are refused.
  Health health() const;
  // Whether what retention deletes can be archived. Works also when other calls are refused.
  ArchiveHealth archive_health() const;

  // --- the verbs ---
  // broker.h declares each of them, and says what it does.

  Timestamp now() const override;
  HOLDFAST_VERBS(HOLDFAST_OVERRIDE)

  // start_redrive with a function that makes each message anew. A task with a function ends as kInterrupted
  // when the process does; what it had moved by then is moved.
  Result<TaskId> start_redrive(std::string_view queue, RedriveOptions options, RedriveTransform transform);

  // --- transactions, and the application's own families ---

  // The family of that name, created if there is none. Fsynced. kInvalidArgument, kLimitExceeded for the name
  // (which is one of a queue's) and for more than limits::kApplicationFamilies.
  Result<ApplicationFamily> open_family(std::string_view name);
  // Drops a family with all that is in it. Fsynced. kFamilyNotFound.
  Result<void> drop_family(std::string_view name);
  Result<std::vector<ApplicationFamily>> list_families();  // by name

  // What is committed, perhaps buffered. kFamilyNotFound if it was dropped.
  Result<std::optional<std::string>> get(const ApplicationFamily& family, std::string_view key);
  // The first rows in [begin, end), in the order of their keys as bytes; an empty `end` is past all keys. A
  // shorter list than `max`, 1..limits::kScanRows, is complete; after a full one go on from its last key +
  // '\0'.
  Result<std::vector<FamilyRow>> scan(const ApplicationFamily& family, std::string_view begin,
                                      std::string_view end, std::size_t max = 1000);

  // All of the transaction in one atomic write, or nothing of it. Its changes happen in their order. An error
  // that concerns an entry begins with "entry N (verb): ", N from 0, and is what the verb alone would give;
  // also kInvalidArgument (two entries with one receipt), kLimitExceeded, kFamilyNotFound,
  // kPreconditionFailed (an `expect` does not hold).
  //
  // Transactions happen one after another, each under its conditions: with an `expect` for every key that it
  // read, a transaction is serializable. Without, a later put of a key replaces an earlier one unnoticed.
  Result<Committed> commit(Transaction transaction, TransactionOptions options = {});

  // Tells of what happens from now on, after it is committed (what a power loss may take back included), each
  // queue's events in order. A subscriber that is slow holds up nobody: events beyond its buffer are dropped,
  // and a kMissed says how many. kInvalidArgument for an empty callback, kLimitExceeded
  // for `buffer`, kOverloaded if no thread can be had.
  Result<Subscription> subscribe(EventFilter filter, EventCallback callback);

  // --- the same verbs with a callback ---
  // They return at once, without waiting for the disk. The callback runs exactly once, on a thread of the
  // engine or, where nothing has to be written, on the caller's before the call returns; it must be short,
  // not block and not throw. Views in the arguments are not used after the call returns.

  using SendCallback = Callback<std::vector<Result<Sent>>>;
  void async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                        SendCallback done);

  // A receive that waits can be ended early by cancel_receive with the token it returned; its callback
  // then gets an empty list, or the deliveries that had already been made.
  struct ReceiveToken {
    QueueId queue{};
    std::uint64_t number = 0;
  };
  ReceiveToken async_receive(std::string_view queue, ReceiveOptions options, Callback<Deliveries> done);
  void cancel_receive(ReceiveToken token);

  using BatchCallback = std::function<void(std::vector<Result<void>>)>;
  void async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback done);
  void async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                          BatchCallback done);
  void async_start_batch(std::span<const Receipt> receipts, BatchCallback done);
  void async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options, BatchCallback done);
  void async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                          SettleOptions options, BatchCallback done);

  void async_commit(Transaction transaction, TransactionOptions options, Callback<Committed> done);

  // Any other verb, or several: the Result that `verb` gives, called with this engine on a thread of the
  // engine's that may block, goes to `done`, once. A few run at a time (not as long as a receive that waits,
  // please), limits::kWaitingCalls wait for their turn, more are refused with kOverloaded, as are all while
  // there is no thread to be had. What has not begun when the engine is closed gets kClosed. The engine must
  // not be moved meanwhile.
  //
  //   engine.async_call([](Engine& engine) { return engine.list_dead_letters("dlq"); },
  //                     [](Result<DeadLetterPage> page) { ... });
  struct CallToken {
    std::uint64_t number = 0;
  };
  template <class Verb, class Done>
  CallToken async_call(Verb verb, Done done) {
    using Value = std::invoke_result_t<Verb&, Engine&>;
    // Shared, since a function object must be copyable.
    auto call = std::make_shared<std::pair<Verb, Done>>(std::move(verb), std::move(done));
    return post_call([this, call](const Result<void>& begins) {
      call->second(begins ? call->first(*this) : Value(tl::unexpected(begins.error())));
    });
  }
  // As async_call. Cancelled while it runs, its task ends, and `done` gets what was moved by then; the rest
  // stays where it was.
  CallToken async_redrive(std::string_view queue, RedriveOptions options, Callback<Redriven> done);
  CallToken async_park(std::string_view queue, RedriveOptions options, Callback<Redriven> done);
  // A call that has not begun never does: its `done` gets kCancelled, before this returns. One that runs goes
  // on, but for those of async_redrive and async_park. Nothing if it is over.
  void cancel_call(CallToken token);

 private:
  friend class EngineInside;
  explicit Engine(std::unique_ptr<Impl> impl);
  // `call` is told whether it begins, and if not, why.
  CallToken post_call(std::function<void(const Result<void>& begins)> call);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
