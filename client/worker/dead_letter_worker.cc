// DeadLetterWorker decides when to look at its queue: in steady intervals as long as the looks succeed, and
// ever more rarely while they fail. DeadLetterScan does the looking.
#include "holdfast/dead_letter_worker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "client/common/option_checks.h"
#include "client/worker/backoff.h"
#include "client/worker/dead_letter_scan.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using client::check;

Result<void> validate(const DeadLetterWorkerOptions& options) {
  if (options.queue.empty()) return fail(ErrorCode::kInvalidArgument, "queue is empty");
  const auto is_missing = [](const auto& handler) { return !handler.second; };
  if (std::ranges::any_of(options.handlers, is_missing))
    return fail(ErrorCode::kInvalidArgument, "handlers has an empty function");
  if (options.handlers.empty() && !options.fallback)
    return fail(ErrorCode::kInvalidArgument, "there is neither a handler nor a fallback");
  if (options.max_replays == 0) return fail(ErrorCode::kInvalidArgument, "max_replays is 0");
  if (options.actor.size() > limits::kActorBytes) {
    return fail(ErrorCode::kLimitExceeded, "actor has " + std::to_string(options.actor.size()) +
                                               " bytes, the limit is " + std::to_string(limits::kActorBytes));
  }
  if (auto ok = check("page", options.page, 1, limits::kListPage); !ok) return ok;
  if (auto ok = check("every", options.every, 1ms, 1h); !ok) return ok;
  if (auto ok = check("backoff", options.backoff, 0ms, 24h); !ok) return ok;
  return check("backoff_max", options.backoff_max, 0ms, 24h);
}

}  // namespace

Remedy Remedy::redrive(RedriveEdit edit) { return {.action = Action::kRedrive, .edit = std::move(edit)}; }
Remedy Remedy::escalate(std::string note) { return {.action = Action::kEscalate, .note = std::move(note)}; }
Remedy Remedy::park() { return {.action = Action::kPark}; }
Remedy Remedy::archive() { return {.action = Action::kArchive}; }

class DeadLetterWorker::Impl {
 public:
  Impl(Broker& broker, DeadLetterWorkerOptions options, std::optional<http::Poster> webhook)
      : scan_(broker, std::move(options), std::move(webhook)) {}

  // Looks once. Returns how long to wait before the next look.
  Duration look() {
    const auto& options = scan_.options();
    errors_ = scan_.run() ? 0 : errors_ + 1;
    const Duration wait =
        errors_ == 0 ? options.every : worker::backoff(options.backoff, options.backoff_max, errors_);
    return std::max(wait, options.every);
  }

  Timestamp run_once() {
    const Duration wait = look();
    return scan_.wall() + wait;
  }

  void run() {
    while (!scan_.stopped()) {
      const Timestamp next = scan_.now() + look();
      sync::Lock lock(mutex_);
      const auto end = std::chrono::steady_clock::now() + (next - scan_.now());
      bool in_time = true;
      while (!scan_.stopped() && in_time) in_time = wake_.wait_until(lock, end);
    }
  }

  void stop() {
    {
      const sync::Lock lock(mutex_);
      scan_.stop();
    }
    wake_.notify_all();
  }

  DeadLetterWorkerCounts counts() const { return scan_.counts(); }

 private:
  worker::DeadLetterScan scan_;
  std::uint64_t errors_ = 0;  // how many errors came in a row
  sync::Mutex mutex_;         // held by stop(), so that run() does not miss it between looking and waiting
  sync::ConditionVariable wake_;
};

Result<DeadLetterWorker> DeadLetterWorker::make(Broker& broker, DeadLetterWorkerOptions options) {
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  std::optional<http::Poster> webhook;
  if (!options.webhook.empty()) {
    auto url = http::parse_url(options.webhook);
    if (!url) return fail(url.error().code, "webhook: " + url.error().message);
    webhook.emplace(*std::move(url));
  }
  return DeadLetterWorker(std::make_unique<Impl>(broker, std::move(options), std::move(webhook)));
}

DeadLetterWorker::DeadLetterWorker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeadLetterWorker::DeadLetterWorker(DeadLetterWorker&&) noexcept = default;
DeadLetterWorker& DeadLetterWorker::operator=(DeadLetterWorker&&) noexcept = default;
DeadLetterWorker::~DeadLetterWorker() = default;

Timestamp DeadLetterWorker::run_once() { return impl_->run_once(); }
void DeadLetterWorker::run() { impl_->run(); }
void DeadLetterWorker::stop() { impl_->stop(); }
DeadLetterWorkerCounts DeadLetterWorker::counts() const { return impl_->counts(); }

}  // namespace holdfast
