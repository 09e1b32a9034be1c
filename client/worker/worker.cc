// Worker checks its options before anything starts, and leaves the work to WorkerImpl. The verdicts that a
// handler may return are made here too.
#include "holdfast/worker.h"

#include <utility>

#include "client/common/option_checks.h"
#include "client/worker/worker_impl.h"
#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using client::check;

constexpr std::size_t kConcurrencyMax = 256;

Result<void> validate(const WorkerOptions& options) {
  if (auto ok = validate_queue_name(options.queue); !ok) return ok;
  if (auto ok = holdfast::validate(options.consumer); !ok) return ok;
  if (!options.handler) return fail(ErrorCode::kInvalidArgument, "handler is empty");
  if (!options.classify) return fail(ErrorCode::kInvalidArgument, "classify is empty");
  if (auto ok = check("concurrency", options.concurrency, 1, kConcurrencyMax); !ok) return ok;
  if (auto ok = check("prefetch", options.prefetch, 0, limits::kReceiveMax); !ok) return ok;
  if (auto ok = check("lease", options.lease, limits::kLeaseMin, limits::kLeaseMax); !ok) return ok;
  if (auto ok = check("wait", options.wait, 1ms, 1min); !ok) return ok;
  if (auto ok = check("pause", options.pause, 1ms, 24h); !ok) return ok;
  if (auto ok = check("pause_max", options.pause_max, 1ms, 24h); !ok) return ok;
  if (auto ok = check("max_unavailable", options.max_unavailable, 0s, limits::kDelayMax); !ok) return ok;
  if (options.pause <= options.pause_max) return {};
  return fail(ErrorCode::kInvalidArgument, "pause_max is " + format_duration(options.pause_max) +
                                               ", it must not be less than pause, " +
                                               format_duration(options.pause));
}

}  // namespace

Work Work::done() { return {}; }
Work Work::reject(Rejection rejection) {
  return {.action = Action::kReject, .failure = std::move(rejection)};
}
Work Work::retry(std::optional<Duration> delay) { return {.action = Action::kRetry, .delay = delay}; }
Work Work::retry(Failure failure, std::optional<Duration> delay) {
  return {.action = Action::kRetry, .failure = std::move(failure), .delay = delay};
}
Work Work::retry_with_backoff(Duration first, Duration max) {
  return {.action = Action::kRetry, .delay = first, .delay_max = max};
}
Work Work::release(Duration delay) { return {.action = Action::kRelease, .delay = delay}; }
Work Work::unavailable(std::string dependency) {
  return {.action = Action::kUnavailable, .dependency = std::move(dependency)};
}

class Worker::Impl : public worker::WorkerImpl {
  using WorkerImpl::WorkerImpl;
};

Result<Worker> Worker::make(Broker& broker, WorkerOptions options) {
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  return Worker(std::make_unique<Impl>(broker, std::move(options)));
}

Worker::Worker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

Result<void> Worker::run() { return impl_->run(false); }
Result<void> Worker::run_until_empty() { return impl_->run(true); }
void Worker::stop() { impl_->stop(); }
WorkerCounts Worker::counts() const { return impl_->metrics().counts; }
WorkerMetrics Worker::metrics() const { return impl_->metrics(); }

}  // namespace holdfast
