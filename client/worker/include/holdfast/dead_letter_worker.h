// Triage by a program: a worker looks through a dead letter queue again and again, and does with each dead
// letter what the handler of its category says. It works over any Broker: an engine in this process or a
// client.
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

// A Remedy says what the worker does with a dead letter.
struct Remedy {
  enum class Action : std::uint8_t {
    kRedrive,   // it goes back to the queue that it came from
    kEscalate,  // people are told, by callback and webhook; it gets the status kInvestigating and the note
    kPark,      // it goes to DeadLetterWorkerOptions::park_to, or to the queue's parking queue
    kArchive,   // it is written to a file, which `holdfast dlq import` reads, and then discarded
  };

  Action action = Action::kEscalate;
  RedriveEdit edit = {};  // for kRedrive: how to edit the message; its record keeps it as it was before
  // kEscalate tells people this note, and puts it on the dead letter, cut to limits::kNoteBytes.
  std::string note = {};

  static Remedy redrive(RedriveEdit edit = {});
  static Remedy escalate(std::string note);
  static Remedy park();
  static Remedy archive();
};

// Decides what to do with a dead letter, which has its body and attributes. The worker calls it on the thread
// of run() or run_once(), and calls again until what it decided is done. If it throws, the dead letter stays
// where it is.
using DeadLetterHandler = std::function<Remedy(const DeadLetter&)>;

// An Escalation is a dead letter that people are told of.
struct Escalation {
  std::string queue;    // the dead letter queue
  std::string summary;  // what happened, in one line for a person
  std::string note;
  const DeadLetter& letter;
};

// Tells people of a dead letter. After an error or an exception the dead letter stays where it is, unchanged.
using EscalationCallback = std::function<Result<void>(const Escalation&)>;

// Gets what went wrong. `letter` is null if the error does not concern a single dead letter. It must not
// throw.
using WorkerFailureCallback = std::function<void(const DeadLetter* letter, const Error& error)>;

// The worker handles dead letters that are new and assigned to nobody. It leaves all others to people.
struct DeadLetterWorkerOptions {
  std::string queue = {};

  // Each category has its handler. Dead letters of others go to `fallback`, and stay if it is empty.
  std::map<std::string, DeadLetterHandler, std::less<>> handlers = {};
  DeadLetterHandler fallback = {};

  // A dead letter that was redriven this often is escalated instead of redriven again. At least 1.
  std::uint32_t max_replays = 3;
  std::string park_to = {};            // the queue to park in; empty: the queue's parking queue
  std::filesystem::path archive = {};  // the directory for Remedy::archive, which fails if this is empty
  // An escalation calls this callback first, and then sends the webhook a POST with JSON. The webhook is an
  // address with http or https: "http://host/path". Either may be empty.
  EscalationCallback on_escalation = {};
  std::string webhook = {};
  std::string actor = "dead letter worker";  // the name of this worker in the audit

  // After it has looked at all dead letters, run() waits this long: 1 ms..1 h.
  Duration every = std::chrono::seconds(10);
  // The worker leaves a dead letter alone that has died again after a redrive, or that it could not deal
  // with, for min(backoff * 2^(times - 1), backoff_max). It waits as long after a call that failed. Both are
  // 0..24 h.
  Duration backoff = std::chrono::minutes(1);
  Duration backoff_max = std::chrono::hours(1);
  std::size_t page = 32;  // how many dead letters one call reads or moves: 1..limits::kListPage

  WorkerFailureCallback on_failure = {};
  const Clock* clock = nullptr;  // default: the clock of the machine
};

// The counts say what a worker has done since it was made.
struct DeadLetterWorkerCounts {
  std::uint64_t redriven = 0;  // redriven without an edit
  std::uint64_t fixed = 0;     // redriven with an edit
  std::uint64_t escalated = 0;
  std::uint64_t parked = 0;
  std::uint64_t archived = 0;
  // Attempts that left a dead letter where it was, since its handler threw, the webhook did not accept it, a
  // consumer has it leased or the edit does not fit, for example.
  std::uint64_t failed = 0;

  friend bool operator==(const DeadLetterWorkerCounts&, const DeadLetterWorkerCounts&) = default;
};

// A DeadLetterWorker is a movable handle. Run one worker for each queue: a second one does no harm, but
// people may be told of an escalation twice. That may also happen when the process crashes between telling
// people and noting it. The webhook's field "dead_letter_id" shows that both are about the same dead letter.
class DeadLetterWorker {
 public:
  // Makes a worker. The broker must outlive it. kInvalidArgument or kLimitExceeded if an option is wrong.
  static Result<DeadLetterWorker> make(Broker& broker, DeadLetterWorkerOptions options);

  DeadLetterWorker(DeadLetterWorker&&) noexcept;
  DeadLetterWorker& operator=(DeadLetterWorker&&) noexcept;
  ~DeadLetterWorker();

  // Looks at each dead letter once. Returns when to look again, by the wall clock as it is set now. This is
  // for callers with a loop of their own.
  Timestamp run_once();

  // Looks again and again, until stop() is called.
  void run();
  // Stops the worker. It may be called on any thread, also by a handler. What a handler has decided is still
  // done, except that a POST under way is given up; then run() or run_once() returns. Both return at once
  // from then on.
  void stop();

  DeadLetterWorkerCounts counts() const;

 private:
  class Impl;
  explicit DeadLetterWorker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
