// A worker: it receives messages, calls a handler with each, and settles it as the handler answers. It works
// over any Broker: an engine in this process or a client.
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
// An exception of a handler is kept with the message: its type, its text, and the exceptions nested in it. So
// the failure record of a message that dies tells what it died of, and what it failed of before.
//
// The worker extends the lease of a message while its handler runs, and while it waits for a handler. It
// prefetches messages, which does not charge them. A delivery is charged, in the log, just before its handler
// is called, so that a message that crashes the process also runs out of deliveries. While acks are under
// way, further acks are gathered and then sent together.
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

// A FailedDelivery is a delivery that failed, since its handler threw or answered so.
struct FailedDelivery {
  std::string_view queue;
  const Delivery& delivery;
  const Failure& failure;
  Work::Action action;  // kReject or kRetry
  // `dies` says whether the message dies of this. A rejected message does. For a retry the worker goes by the
  // options that the queue had at the first one of the run, and says false if the broker did not tell them.
  bool dies = false;
};

struct WorkerOptions {
  std::string queue = {};
  WorkHandler handler = {};
  WorkClassifier classify = ExceptionRules();  // what exceptions mean; default: each is a retry
  Consumer consumer = {};                      // for failure records

  std::size_t concurrency = 1;  // how many handlers run at a time, each on its own thread: 1..256
  std::size_t prefetch = 1;     // the most messages that wait for a handler: 0..limits::kReceiveMax
  // A message is leased for this long: limits::kLeaseMin..kLeaseMax. The lease is extended when half of it is
  // over. If that fails, the worker tries again after each further tenth.
  Duration lease = std::chrono::seconds(30);
  // One receive waits this long, and so a stop may take as long: 1 ms..1 min.
  Duration wait = std::chrono::seconds(1);

  // The breaker opens after this many unavailable messages in a row; 0: never. While it is open, nothing is
  // received, and messages that wait for a handler go back uncharged. It stays open for min(pause * 2^n,
  // pause_max), where n is how often it has opened since a message was last done or rejected. Then a single
  // message tries whether to go on.
  std::size_t breaker_after = 3;
  Duration pause = std::chrono::seconds(1);      // 1 ms..24 h
  Duration pause_max = std::chrono::minutes(1);  // pause..24 h
  // A message may be unavailable this long, as far as this worker has seen it. After that the message is
  // charged each time that it is unavailable again. 0: for ever; at most limits::kDelayMax.
  Duration max_unavailable = std::chrono::hours(1);

  // `handled` gives idempotency: a message that is noted there is acknowledged without being handled again.
  // Null: every message is handled. It must outlive the worker.
  HandledLog* handled = nullptr;
  // Returns the key by which a message is noted. Default: its id, which stays the same through retries,
  // dead-lettering and redrive. It must not throw.
  std::function<std::string(const Delivery&)> key = {};

  // Gets errors: calls to the broker or to `handled` that failed, and rejections whose texts were cut. The
  // worker's threads call it, several at a time. It must not throw.
  std::function<void(const Error&)> on_failure = {};
  // Gets each delivery that failed, once the broker knows it, with the message if that dies. Default: a line
  // in the application's log (spdlog), a warning, or an error if the message dies. The worker's threads call
  // it, several at a time. It must not throw.
  std::function<void(const FailedDelivery&)> on_failed_delivery = {};
  const Clock* clock = nullptr;  // default: the clock of the machine
};

// The counts say what a worker has done since it was made. They are of messages, unless they say otherwise.
struct WorkerCounts {
  std::uint64_t done = 0;      // handled and acknowledged
  std::uint64_t repeated = 0;  // acknowledged without being handled, since `handled` had noted them
  std::uint64_t rejected = 0;
  std::uint64_t retried = 0;
  std::uint64_t released = 0;
  std::uint64_t unavailable = 0;
  std::uint64_t returned = 0;  // given back unhandled and uncharged, at a stop or when the breaker opened
  std::uint64_t failed = 0;    // not started or not settled: the lease was over, or the broker out of reach
  std::uint64_t paused = 0;    // how often the breaker opened

  friend bool operator==(const WorkerCounts&, const WorkerCounts&) = default;
};

// WorkerMetrics counts this many categories one by one, and all others under the name kOtherCategories.
inline constexpr std::size_t kWorkerCategories = 64;
inline constexpr std::string_view kOtherCategories = "(others)";

// WorkerMetrics are the metrics of a worker, since it was made or now. samples() (holdfast/worker_samples.h)
// lists them for a metrics library.
struct WorkerMetrics {
  WorkerCounts counts = {};
  std::uint64_t thrown = 0;         // handlers that threw
  std::uint64_t died = 0;           // messages that were dead-lettered (FailedDelivery::dies)
  std::uint64_t outlived = 0;       // deliveries charged after max_unavailable
  std::uint64_t local_retries = 0;  // calls that WorkContext::retry repeated
  // Failed deliveries, that is, rejected and retried ones, by the category of the failure.
  std::map<std::string, std::uint64_t> failed_by_category = {};
  std::uint64_t running = 0;                          // handlers that run now
  std::uint64_t waiting = 0;                          // messages that wait for a handler now
  Duration handling{0};                               // the time that all handlers together took
  Duration longest_handling{0};                       // the time of the handler that took longest
  bool paused = false;                                // the breaker is open now: nothing is received
  std::vector<std::string> paused_dependencies = {};  // the dependencies whose breakers are open now

  friend bool operator==(const WorkerMetrics&, const WorkerMetrics&) = default;
};

// A Worker is a movable handle. All calls of run() must have returned before the worker is destroyed.
class Worker {
 public:
  // Makes a worker. The broker must outlive it. kInvalidArgument or kLimitExceeded if an option is wrong.
  static Result<Worker> make(Broker& broker, WorkerOptions options);

  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;
  ~Worker();

  // Works until stop() is called or the broker is closed (kClosed). After any other error of the broker, such
  // as a missing queue or a broker out of reach, it pauses, longer each time up to 5 s, and tries again. It
  // does nothing and returns kInvalidArgument if another run is under way, or kUnavailable if it cannot start
  // its threads.
  Result<void> run();
  // Works until the queue has no ready messages. Unlike run() it returns any error of the broker.
  Result<void> run_until_empty();
  // Stops the worker. It may be called on any thread, also by a handler. Handlers that run finish, and their
  // messages are settled; messages that wait for a handler go back. Runs return at once from then on.
  void stop();

  WorkerCounts counts() const;
  WorkerMetrics metrics() const;

 private:
  class Impl;
  explicit Worker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
