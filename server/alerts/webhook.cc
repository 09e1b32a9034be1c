#include "server/alerts/webhook.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <thread>
#include <utility>
#include <vector>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "schema/http/post.h"
#include "server/alerts/event_fields.h"
#include "server/alerts/webhook_writer.h"
#include "server/logging/log_line.h"

namespace holdfast::server {

class Webhook::Impl {
 public:
  Impl(std::shared_ptr<spdlog::logger> log, WebhookOptions options, WebhookWriter writer, Post post,
       std::function<void()> cancel)
      : log_(std::move(log)),
        options_(std::move(options)),
        writer_(std::move(writer)),
        post_(std::move(post)),
        cancel_(std::move(cancel)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    subscription_ = {};
    {
      const sync::Lock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_one();
    cancel_();
    if (thread_.joinable()) thread_.join();
    if (!waiting_.empty()) drop(waiting_.size(), "stopped");
  }

  Result<void> start(Engine& engine) {
    std::vector<EventKind> kinds = {EventKind::kRuleFired, EventKind::kRuleCleared};
    if (options_.deaths) kinds.push_back(EventKind::kDied);
    auto subscription =
        engine.subscribe({.kinds = std::move(kinds)}, [this](const Event& event) { take(event); });
    if (!subscription) return tl::unexpected(subscription.error());
    subscription_ = *std::move(subscription);
    if (auto ok = tell_what_holds(engine); !ok) return ok;
    thread_ = std::thread([this] { run(); });
    return {};
  }

 private:
  // Tells the rules that fired before this process began.
  Result<void> tell_what_holds(Engine& engine) {
    const auto queues = engine.list_queues();
    if (!queues) return tl::unexpected(queues.error());
    for (const QueueInfo& queue : *queues) {
      for (const Alert& alert : queue.alerts) take(event_of(queue, alert));
    }
    return {};
  }

  void take(const Event& event) {
    {
      const sync::Lock lock(mutex_);
      if (event.kind == EventKind::kMissed) {
        missed_ += event.count;
      } else {
        waiting_.push_back(event);
      }
      for (; waiting_.size() > options_.waiting; waiting_.pop_front()) ++missed_;
      last_time_ = event.time;
    }
    wake_.notify_one();
  }

  // A Batch is what one POST tells.
  struct Batch {
    std::vector<Event> events;
    std::uint64_t missed = 0;
    std::uint64_t refused = 0;
    Timestamp time{};  // the time of the newest event, including those that were dropped

    std::uint64_t dropped() const { return missed + refused; }
  };

  // Waits until there is something to tell. Refused events alone do not count: a hook that takes nothing
  // would be told of them for ever. The batch is empty when the webhook ends.
  Batch next() {
    sync::Lock lock(mutex_);
    while (!stopping_ && waiting_.empty() && missed_ == 0) wake_.wait(lock);
    Batch batch;
    if (stopping_) return batch;
    batch.missed = std::exchange(missed_, 0);
    batch.refused = std::exchange(refused_, 0);
    batch.time = last_time_;
    const auto end =
        waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), writer_.batch()));
    batch.events.assign(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    return batch;
  }

  void run() {
    for (;;) {
      const Batch batch = next();
      if (batch.events.empty() && batch.dropped() == 0) return;
      if (batch.missed > 0) drop(batch.missed, "too many were waiting");
      tell(batch);
    }
  }

  void tell(const Batch& batch) {
    const std::string json = writer_.write(batch.events, {batch.dropped(), batch.time});
    Duration wait = options_.backoff;
    for (bool warned = false;; warned = true) {
      const auto answer = post_(json);
      const http::Verdict verdict = http::verdict_on(answer);
      if (verdict == http::Verdict::kTaken && warned) log_->info("webhook accepts events again");
      if (verdict == http::Verdict::kTaken) return taken(batch);
      if (verdict == http::Verdict::kRefused) return refuse(batch, http::describe(answer));
      if (!warned) log_->warn("webhook does not accept events, trying again: {}", http::describe(answer));
      if (stops_within(wait)) return drop(batch.events.size(), "stopped");
      wait = std::min(wait * 2, options_.backoff_max);
    }
  }

  // The next POST tells what this one could not say.
  void taken(const Batch& batch) {
    if (writer_.tells_dropped(batch.events)) return;
    const sync::Lock lock(mutex_);
    refused_ += batch.dropped();
  }

  bool stops_within(Duration time) {
    const auto end = std::chrono::steady_clock::now() + time;
    sync::Lock lock(mutex_);
    bool in_time = true;
    while (!stopping_ && in_time) in_time = wake_.wait_until(lock, end);
    return stopping_;
  }

  // The next POST tells what this one did not get across. Everything but this batch's events was logged
  // before.
  void refuse(const Batch& batch, const std::string& why) {
    drop(batch.events.size(), why);
    const sync::Lock lock(mutex_);
    refused_ += batch.events.size() + batch.dropped();
  }

  void drop(std::uint64_t count, const std::string& why) {
    log_->error("{}", LogLine("webhook events dropped").add("count", count).add("why", why).text());
  }

  const std::shared_ptr<spdlog::logger> log_;
  const WebhookOptions options_;
  const WebhookWriter writer_;
  const Post post_;
  const std::function<void()> cancel_;
  sync::Mutex mutex_;
  std::deque<Event> waiting_ HOLDFAST_GUARDED_BY(mutex_);
  // Events that were dropped, or never came, since the last batch was taken out.
  std::uint64_t missed_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // Events of batches that the hook refused, and those that these batches reported as dropped.
  std::uint64_t refused_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  Timestamp last_time_ HOLDFAST_GUARDED_BY(mutex_){};
  bool stopping_ HOLDFAST_GUARDED_BY(mutex_) = false;
  sync::ConditionVariable wake_;
  std::thread thread_;
  Subscription subscription_;
};

Result<Webhook> Webhook::start(Engine& engine, std::shared_ptr<spdlog::logger> log, WebhookOptions options,
                               Post post, std::function<void()> cancel) {
  auto writer = WebhookWriter::make(options);
  if (!writer) return tl::unexpected(writer.error());
  auto impl = std::make_unique<Impl>(std::move(log), std::move(options), *std::move(writer), std::move(post),
                                     std::move(cancel));
  if (auto ok = impl->start(engine); !ok) return tl::unexpected(ok.error());
  return Webhook(std::move(impl));
}

Result<Webhook> Webhook::start(Engine& engine, std::shared_ptr<spdlog::logger> log, WebhookOptions options) {
  auto url = http::parse_url(options.url);
  if (!url) return tl::unexpected(url.error());
  auto poster = std::make_shared<http::Poster>(*std::move(url));
  return start(
      engine, std::move(log), std::move(options),
      [poster](const std::string& json) { return poster->post(json); }, [poster] { poster->cancel(); });
}

Webhook::Webhook(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Webhook::Webhook(Webhook&&) noexcept = default;
Webhook& Webhook::operator=(Webhook&&) noexcept = default;
Webhook::~Webhook() = default;

}  // namespace holdfast::server
