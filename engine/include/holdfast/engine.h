// This header declares the embedded engine: a directory of queues, opened by one process.
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
#include "holdfast/engine_verbs.h"
#include "holdfast/event.h"
#include "holdfast/operations.h"
#include "holdfast/transaction.h"

namespace holdfast {

struct EngineOptions {
  // Open fails with kInvalidArgument if the directory holds no engine and this is false.
  bool create_if_missing = true;

  // The engine reads the time from this clock, which must outlive the engine.
  const Clock* clock = &system_clock();

  // true: a thread of the engine does what falls due (leases, delays, waits, unfinished redrives). false:
  // only run_due() does, so that a test decides when.
  bool background = true;

  // Messages read or written lately are kept in this much memory, in addition to RocksDB's own caches.
  std::size_t message_cache_bytes = 32 << 20;

  // Sends leave this many bytes free on the device. Flushes and compactions need them, and so do acks, which
  // free space. While less is free, sends, imports of dead letters, redrives and parks that begin, and
  // transactions that send or put are refused with kDiskFull, running redrives wait until space returns, and
  // automatic redrive pauses. A transaction that acks at least as many messages as it sends is refused only
  // below half of the reserve. A backup is refused if it would leave less than this on the device that it
  // goes to. Everything else goes on. 0: the space is not watched. Otherwise at least
  // limits::kReserveWriteBuffers times write_buffer_bytes: open() refuses less with kInvalidArgument.
  // In addition, the file `ballast` in the directory takes one and a half times write_buffer_bytes, nine
  // quarters of it once a log was full, and more while the logs are larger. It grows only if the device has
  // room for four times its new size. open() deletes it on a full device.
  std::uint64_t free_space_reserve = 256 << 20;

  // The salt is part of every message id that is made until the engine is closed, so that ids of different
  // openings differ. It is random by default; a simulation sets it.
  std::optional<std::uint64_t> id_salt = {};

  // Dead letters are written to this directory, and fsynced, before retention deletes them
  // (QueueOptions::retention). Each queue and each opening has one file, QUEUE-TIME.jsonl.zst, of JSON lines
  // compressed with zstd; a crash may leave a dead letter in two of them. Empty: the folder `archive` of the
  // opened directory; an engine without a directory then deletes nothing.
  std::filesystem::path archive_directory = {};
  // An ArchiveSink is another place for archived dead letters. open() refuses it together with
  // archive_directory (kInvalidArgument).
  std::shared_ptr<ArchiveSink> archive = {};

  std::size_t block_cache_bytes = 64 << 20;   // of RocksDB's block cache
  std::size_t write_buffer_bytes = 64 << 20;  // of all memtables of RocksDB together
};

// An Engine is a movable handle of an open directory. The destructor closes it. The verbs of
// Broker are members of it: engine_verbs.h lists them by concern, and the interfaces that broker.h names
// describe them.
class Engine final : public EngineOperationVerbs {
 public:
  // Opens the queues of a directory, and creates the directory if it is missing. The time that it takes grows
  // with the messages in flight. kLocked if another engine has the directory, kInvalidArgument if it holds
  // the RocksDB database of another program or if the reserve is too small, kFormatTooNew, kCorruption,
  // kStorageFailed, kOverloaded if no thread can be started. After an error the directory is free again.
  static Result<Engine> open(const std::filesystem::path& directory, EngineOptions options = {});

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine() override;

  // Refuses new calls with kClosed, those of callbacks included; ends waiting receives with an empty list;
  // waits for the calls in flight; makes everything durable; and releases the directory. Long calls are not
  // waited for: backup, verify, compact and dry runs end with kClosed, and redrives and changes of many dead
  // letters end after their present step. Closing twice is safe.
  Result<void> close();

  // Does a bounded amount of what is due: leases and delays that ran out, waits that ended, unfinished
  // redrives. Returns the time, by the wall clock as it is set now, at which it should be called again. Only
  // an engine without `background` needs it.
  Timestamp run_due();

  // --- backups ---

  // Returns the readable backups of a directory, oldest first. kInvalidArgument if there are none.
  static Result<std::vector<BackupInfo>> list_backups(const std::filesystem::path& backups);
  // Makes a new data directory from a backup and verifies checksums. The new directory appears whole or not
  // at all, and nothing is overwritten: kInvalidArgument if `directory` exists and is not empty, or if it is
  // a mount point. kCorruption if the chosen backup is damaged, even if an older one is not; kFormatTooNew if
  // a newer Holdfast made it. Receipts that the original gave out after the backup settle nothing in the new
  // directory; earlier ones do, since their deliveries go on in both.
  static Result<BackupInfo> restore(const std::filesystem::path& backups,
                                    const std::filesystem::path& directory, RestoreOptions options = {});

  // --- checking and saving what is stored ---

  // Verifies a closed directory, as Broker::verify does an open one. A store that cannot be opened is a
  // finding. kLocked, kInvalidArgument (there is no store).
  using EngineOperationVerbs::verify;
  static Result<VerifyReport> verify(const std::filesystem::path& directory);
  // Copies everything readable of a damaged directory into a new one, and reports what was lost with the
  // damaged blocks. `from` is not changed; its rows are collected next to `to` first. Messages that were
  // acknowledged may come back, since the record of that may be lost. kInvalidArgument (`from` has nothing of
  // a store; `to` as in restore()), kLocked, kFormatTooNew, kStorageFailed.
  static Result<SalvageReport> salvage(const std::filesystem::path& from, const std::filesystem::path& to);

  // Says whether the engine can write, and whether it takes sends. It answers even when other calls are
  // refused.
  Health health() const;
  // Says whether dead letters can be archived. It answers even when other calls are refused.
  ArchiveHealth archive_health() const;

  // --- transactions, and the application's own families ---

  // Returns the family of that name, and creates it if there is none. Fsynced. kInvalidArgument and
  // kLimitExceeded if the name would not do for a queue; kLimitExceeded for more than
  // limits::kApplicationFamilies.
  Result<ApplicationFamily> open_family(std::string_view name);
  // Drops a family with everything in it. Fsynced. kFamilyNotFound.
  Result<void> drop_family(std::string_view name);
  Result<std::vector<ApplicationFamily>> list_families();  // sorted by name

  // Returns the committed value of a key, which may be buffered; nothing if there is none. kFamilyNotFound if
  // the family was dropped.
  Result<std::optional<std::string>> get(const ApplicationFamily& family, std::string_view key);
  // Returns the first rows in [begin, end), ordered by the bytes of their keys; an empty `end` is past all
  // keys. A list shorter than `max` (1..limits::kScanRows) is complete. After a full list, go on from its
  // last key followed by a zero byte.
  Result<std::vector<FamilyRow>> scan(const ApplicationFamily& family, std::string_view begin,
                                      std::string_view end, std::size_t max = 1000);

  // Commits the whole transaction in one atomic write, or nothing of it. Its changes happen in their order.
  // An error of one entry begins with "entry N (verb): ", N counted from 0, and is what the verb alone would
  // give. Other errors: kInvalidArgument (two entries with one receipt), kLimitExceeded, kFamilyNotFound,
  // kPreconditionFailed (an `expect` does not hold).
  //
  // Transactions happen one after another, each under its conditions: a transaction with an `expect` for
  // every key that it read is serializable. Without `expect`, a later put of a key replaces an earlier one
  // unnoticed.
  Result<Committed> commit(Transaction transaction, TransactionOptions options = {});

  // Calls `callback` with what happens from now on, the events of each queue in order. An event is told once
  // it is committed, which a power loss may still take back. A slow subscriber holds up nobody: events beyond
  // its buffer are dropped, and a kMissed event says how many. kInvalidArgument for an empty callback,
  // kLimitExceeded for a bad `buffer`, kOverloaded if no thread can be started.
  Result<Subscription> subscribe(EventFilter filter, EventCallback callback);

  // --- the verbs of Broker, with a callback ---
  // These calls return at once, without waiting for the disk. The callback runs exactly once: on a thread of
  // the engine or, where nothing has to be written, on the caller's thread before the call returns. It must
  // be short, and must neither block nor throw. Views in the arguments are not used after the call returns.

  void async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                        BatchCallback<Sent> done);

  // cancel_receive() with the returned token ends a receive that waits: its callback gets an empty list, or
  // the deliveries that were made already.
  struct ReceiveToken {
    QueueId queue{};
    std::uint64_t number = 0;
  };
  ReceiveToken async_receive(std::string_view queue, ReceiveOptions options, Callback<Deliveries> done);
  void cancel_receive(ReceiveToken token);

  void async_ack_batch(std::span<const Receipt> receipts, SettleOptions options, BatchCallback<void> done);
  void async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                          BatchCallback<void> done);
  void async_start_batch(std::span<const Receipt> receipts, BatchCallback<void> done);
  void async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options,
                           BatchCallback<void> done);
  void async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                          SettleOptions options, BatchCallback<void> done);

  void async_commit(Transaction transaction, TransactionOptions options, Callback<Committed> done);

  // Makes a call of any other verb, or of several: `verb` is called with this engine on a thread of the
  // engine that may block, and its Result goes to `done`, once. A few such calls run at a time, so none
  // should wait as long as a receive can; limits::kWaitingCalls more wait for their turn, and any beyond that
  // are refused with kOverloaded, as all are while no thread can be started. A call that has not begun when
  // the engine is closed gets kClosed. The engine must not be moved meanwhile.
  //
  //   engine.async_call([](Engine& engine) { return engine.list_dead_letters("dlq"); },
  //                     [](Result<DeadLetterPage> page) { ... });
  struct CallToken {
    std::uint64_t number = 0;
  };
  template <class Verb, class Done>
  CallToken async_call(Verb verb, Done done) {
    using Value = std::invoke_result_t<Verb&, Engine&>;
    // The pair is shared, since a function object must be copyable.
    auto call = std::make_shared<std::pair<Verb, Done>>(std::move(verb), std::move(done));
    return post_call([this, call](const Result<void>& begins) {
      call->second(begins ? call->first(*this) : Value(tl::unexpected(begins.error())));
    });
  }
  // Calls redrive as async_call() would, and can be cancelled while messages move, too: its task then ends,
  // `done` gets what was moved by then, and the rest stays where it was.
  CallToken async_redrive(std::string_view queue, RedriveOptions options, Callback<Redriven> done);
  // Cancels a call. If the call has not begun, it never does, and its `done` gets kCancelled before this
  // returns. If it runs, it goes on, unless it is of async_redrive. If it is over, nothing happens.
  void cancel_call(CallToken token);

 private:
  friend class EngineInside;
  explicit Engine(std::unique_ptr<Impl> impl);
  // `call` is told whether it begins, and if not, why.
  CallToken post_call(std::function<void(const Result<void>& begins)> call);
};

}  // namespace holdfast
