// Triage by machine: looks through a dead letter queue again and again, and does with each dead letter what
// the handler of its category says. Works over any Broker, an engine in this process or a client.
//
//   auto worker = holdfast::DeadLetterWorker::make(
//       *client, {.queue = "orders-dlq",
//                 .handlers = {{"timeout", [](const DeadLetter&) { return Remedy::redrive(); }},
//                              {"validation", repair_quantity}},
//                 .fallback = [](const DeadLetter&) { return Remedy::escalate("a new kind of failure"); },
//                 .webhook = "http://tickets.example/holdfast"});
//   if (!worker) return report(worker.error());
//   std::thread thread([&] { worker->run(); });
//   ...
//   worker->stop();
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/broker.h"

namespace holdfast {

// What is to be done with a dead letter.
struct Remedy {
  enum class Action : std::uint8_t {
    kRedrive,   // back to the queue it came from
    kEscalate,  // to people: told, by callback and webhook, and marked investigating with the note
    kPark,      // to the queue's parking queue, or DeadLetterWorkerOptions::park_to
    kArchive,   // to a file, from which `holdfast dlq import` brings it back; then discarded
  };

  Action action = Action::kEscalate;
  RedriveEdit edit = {};  // of kRedrive; how the message was before stays with its record
  std::string note = {};  // of kEscalate: for the ticket, and on the dead letter; cut at limits::kNoteBytes

  static Remedy redrive(RedriveEdit edit = {});
  static Remedy escalate(std::string note);
  static Remedy park();
  static Remedy archive();
};

// Gets the dead letter with body and attributes. Called on the thread of run() or run_once(); asked again
// until what it said is done. It may throw: then the dead letter stays where it is.
using DeadLetterHandler = std::function<Remedy(const DeadLetter&)>;

struct Escalation {
  std::string queue;    // the dead letter queue
  std::string summary;  // a line for a person
  std::string note;
  const DeadLetter& letter;
};

// An error or an exception leaves the dead letter where it is.
using EscalationCallback = std::function<Result<void>(const Escalation&)>;

// Hears of what went wrong. `letter` is null if it was no single one. Must not throw.
using WorkerFailureCallback = std::function<void(const DeadLetter* letter, const Error& error)>;

// The worker takes dead letters that are new and assigned to nobody; all others are people's.
struct DeadLetterWorkerOptions {
  std::string queue = {};

  // By category; those of a category without a handler go to `fallback`, and stay if there is none.
  std::map<std::string, DeadLetterHandler, std::less<>> handlers = {};
  DeadLetterHandler fallback = {};

  // What was redriven this often is not redriven again, but escalated; at least 1.
  std::uint32_t max_replays = 3;
  std::string park_to = {};                  // empty: the queue's parking queue
  std::filesystem::path archive = {};        // the directory of the files; Remedy::archive fails without one
  EscalationCallback on_escalation = {};     // called first
  std::string webhook = {};                  // "http://host/path" or https: then this gets a POST of JSON
  std::string actor = "dead letter worker";  // for the audit

  // How long run() waits after it looked at all of them, 1 ms..1 h.
  Duration every = std::chrono::seconds(10);
  // One that died again after a redrive, or could not be dealt with, is taken up again after
  // min(backoff * 2^(times - 1), backoff_max); 0..24 h. So does the worker wait after a call that failed.
  Duration backoff = std::chrono::minutes(1);
  Duration backoff_max = std::chrono::hours(1);
  std::size_t page = 32;  // dead letters read, and moved, by one call; 1..limits::kListPage

  WorkerFailureCallback on_failure = {};
  const Clock* clock = nullptr;  // default: the machine's
};

// Since the worker was made.
struct DeadLetterWorkerCounts {
  std::uint64_t redriven = 0;  // as they were
  std::uint64_t fixed = 0;     // redriven with an edit
  std::uint64_t escalated = 0;
  std::uint64_t parked = 0;
  std::uint64_t archived = 0;
  // Attempts that left a dead letter where it was: its handler threw, the webhook took nothing, a consumer
  // has it leased, the edit does not fit.
  std::uint64_t failed = 0;

  friend bool operator==(const DeadLetterWorkerCounts&, const DeadLetterWorkerCounts&) = default;
};

// A movable handle. One worker a queue: a second one would do nothing wrong, but tell of escalations twice.
// So may a crash between the telling and its note; the webhook's "dead_letter_id" tells them apart.
class DeadLetterWorker {
 public:
  // kInvalidArgument and kLimitExceeded for an option. The broker must outlive the worker.
  static Result<DeadLetterWorker> make(Broker& broker, DeadLetterWorkerOptions options);

  DeadLetterWorker(DeadLetterWorker&&) noexcept;
  DeadLetterWorker& operator=(DeadLetterWorker&&) noexcept;
  ~DeadLetterWorker();

  // Looks at each dead letter once, and gives when to look next, by the wall clock as it is set now. For
  // callers with a loop of their own.
  Timestamp run_once();

  // Looks until stop() is called.
  void run();
  // From any thread, also from a handler. What was decided is still done, then run() or run_once() returns;
  // both return at once from then on. A POST under way is given up.
  void stop();

  DeadLetterWorkerCounts counts() const;

 private:
  class Impl;
  explicit DeadLetterWorker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
