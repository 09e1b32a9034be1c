// A consumer that is hard to write wrong: fetches, hands each message to a handler, and settles it by what
// the handler says. Works over any Broker, an engine in this process or a client.
//
//   auto worker = holdfast::Worker::make(*client, {
//       .queue = "orders",
//       .handler = [](const Delivery& delivery, const WorkContext&) {
//         const Order order = parse(delivery.body);  // throws
//         warehouse.book(order);                     // throws, too
//         return Work::done();
//       },
//       .classify = ExceptionRules()
//           .on<ParseError>([](const ParseError& e) {
//             return Work::reject({.category = "parse", .reason = e.what()});
//           })
//           .on<WarehouseDown>(Work::unavailable("warehouse")),
//       .concurrency = 4});
//   if (!worker) return report(worker.error());
//   std::thread thread([&] { report(worker->run()); });
//   ...
//   worker->stop();
//   thread.join();
//
// What a handler throws is written down with the message: its type, what it says, what is nested in it. So
// the record of a message that dies says of what, and of what it failed before.
//
// While a handler runs, and while a message waits for one, its lease is extended. Messages are fetched ahead
// without being charged: a delivery counts from the moment its handler begins, in the log, so that a message
// that takes the process with it runs out of deliveries all the same. Acks leave together while others are
// under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/exception_failure.h"
#include "holdfast/exception_rules.h"
#include "holdfast/handled_log.h"
#include "holdfast/work.h"

namespace holdfast {

// A delivery that failed, as its handler was told it or said it.
struct FailedDelivery {
  std::string_view queue;
  const Delivery& delivery;
  const Failure& failure;
  Work::Action action;  // kReject or kRetry
  // It was the last one, so that the message is dead-lettered: by what the queue's options were at the start
  // of the run, if the broker told them.
  bool dies = false;
};

struct WorkerOptions {
  std::string queue = {};
  WorkHandler handler = {};
  WorkClassifier classify = ExceptionRules();  // each exception is a retry
  Consumer consumer = {};                      // for failure records

  std::size_t concurrency = 1;  // handlers at a time, and threads; 1..256
  std::size_t prefetch = 1;     // messages that wait for a handler, at most; 0..limits::kReceiveMax
  // limits::kLeaseMin..kLeaseMax. Extended when half of it is over; if that fails, tried again each tenth.
  Duration lease = std::chrono::seconds(30);
  Duration wait = std::chrono::seconds(1);  // of one receive, and so how long a stop may take; 1 ms..1 min

  // The breaker: after so many messages in a row that were unavailable nothing is fetched for
  // min(pause * 2^n, pause_max), n the times that it opened since one was done or rejected; then one message
  // alone says whether to go on. Messages that wait for a handler go back uncharged.
  std::size_t breaker_after = 3;                 // 0: never
  Duration pause = std::chrono::seconds(1);      // 1 ms..24 h, as is the next
  Duration pause_max = std::chrono::minutes(1);  // not less than `pause`
  // A message that has been unavailable for so long, as far as this worker has seen it, fails with that
  // reason, charged, each time that it is unavailable again. 0: never; at most limits::kDelayMax.
  Duration max_unavailable = std::chrono::hours(1);

  // Idempotency: what this has noted is acknowledged without being handled again. It must outlive the worker.
  HandledLog* handled = nullptr;
  // What a message is noted as. Default: its id, which it keeps through retries, dead-lettering and redrive.
  // Must not throw.
  std::function<std::string(const Delivery&)> key = {};

  // Hears of calls to the broker or `handled` that failed, and of rejections that had to be cut. Called on
  // any of the worker's threads, several at a time; must not throw.
  std::function<void(const Error&)> on_failure = {};
  // Hears of each delivery that failed, and of each message that dies of it, once the broker knows. Default:
  // a line of the application's log (spdlog), a warning or, of a death, an error. As on_failure it is called
  // on any thread, and must not throw.
  std::function<void(const FailedDelivery&)> on_failed_delivery = {};
  const Clock* clock = nullptr;  // default: the machine's
};

// Since the worker was made.
struct WorkerCounts {
  std::uint64_t done = 0;      // acknowledged, as is `repeated`
  std::uint64_t repeated = 0;  // handled before, as `handled` knew
  std::uint64_t rejected = 0;
  std::uint64_t retried = 0;
  std::uint64_t released = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t returned = 0;  // went back unhandled and uncharged: at a stop, or when the breaker opened
  std::uint64_t failed = 0;    // could not be started or settled: the lease was over, or the broker not there
  std::uint64_t paused = 0;    // how often the breaker opened

  friend bool operator==(const WorkerCounts&, const WorkerCounts&) = default;
};

inline constexpr std::size_t kWorkerCategories = 64;
inline constexpr std::string_view kOtherCategories = "(others)";

// What there is to watch, at any time. samples() (holdfast/worker_samples.h) lists it for a metrics library.
struct WorkerMetrics {
  WorkerCounts counts = {};
  std::uint64_t thrown = 0;    // handlers that threw
  std::uint64_t died = 0;      // messages that were dead-lettered, as FailedDelivery::dies says
  std::uint64_t outlived = 0;  // failures of messages that were unavailable for too long
  std::uint64_t local_retries = 0;
  // Failed deliveries, rejected and retried ones, by the category that they were given. Of kWorkerCategories
  // at most: those of further ones are counted as kOtherCategories.
  std::map<std::string, std::uint64_t> failed_by_category = {};
  std::uint64_t running = 0;  // handlers now
  std::uint64_t waiting = 0;  // messages that wait for one now
  Duration handling{0};       // of all handlers that ended
  Duration longest_handling{0};
  bool paused = false;  // nothing is fetched now: the breaker is open
  std::vector<std::string> paused_dependencies = {};

  friend bool operator==(const WorkerMetrics&, const WorkerMetrics&) = default;
};

// A movable handle. Calls of run() must have returned before the destructor is called.
class Worker {
 public:
  // kInvalidArgument and kLimitExceeded for an option. The broker must outlive the worker.
  static Result<Worker> make(Broker& broker, WorkerOptions options);

  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  // Works until stop() is called, or the broker is closed (kClosed). After other errors of the broker's (no
  // such queue, out of reach) it pauses, longer each time up to 5 s, and tries again. Not beside another run
  // (kInvalidArgument), nor without the threads that it takes (kUnavailable); neither does anything.
  Result<void> run();
  // Works until the queue has nothing ready; an error of the broker's ends it, too. Errors of run().
  Result<void> run_until_empty();
  // From any thread, also from a handler. Handlers that run finish and their messages are settled; what waits
  // for one goes back. Runs return at once from then on.
  void stop();

  WorkerCounts counts() const;
  WorkerMetrics metrics() const;

 private:
  class Impl;
  explicit Worker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
