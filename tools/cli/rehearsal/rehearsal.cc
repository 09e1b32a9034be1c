#include "tools/cli/rehearsal/rehearsal.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <queue>
#include <string>
#include <utility>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tools/cli/rehearsal/traffic.h"
#include "tools/cli/rehearsal/virtual_clock.h"

namespace holdfast::rehearsal {
namespace {

constexpr const char* kQueue = "simulated";
constexpr const char* kDeadLetterQueue = "simulated-dlq";

Result<void> validate(const Blip& blip, Duration run) {
  const std::string text =
      "the blip of " + format_duration(blip.length) + " at " + format_duration(blip.at) + " ";
  if (blip.length <= Duration{0}) return fail(ErrorCode::kInvalidArgument, text + "has no length");
  if (blip.length > run)
    return fail(ErrorCode::kInvalidArgument, text + "is longer than the run of " + format_duration(run));
  if (blip.at < Duration{0} || blip.at >= run)
    return fail(ErrorCode::kInvalidArgument, text + "is outside of the run of " + format_duration(run));
  return {};
}

Result<void> validate(const Workload& workload) {
  const auto is_share = [](double share) { return share >= 0 && share <= 1; };
  if (!(workload.rate > 0)) return fail(ErrorCode::kInvalidArgument, "the rate must be above 0");
  if (workload.length <= Duration{0}) return fail(ErrorCode::kInvalidArgument, "the length must be above 0");
  if (!is_share(workload.poison_share))
    return fail(ErrorCode::kInvalidArgument, "the poison share must be between 0 and 1");
  if (!is_share(workload.failure_share))
    return fail(ErrorCode::kInvalidArgument, "the failure share must be between 0 and 1");
  if (workload.consumers == 0) return fail(ErrorCode::kInvalidArgument, "there must be a consumer");
  if (workload.service_time <= Duration{0})
    return fail(ErrorCode::kInvalidArgument, "the service time must be above 0");
  for (const Blip& blip : workload.blips) {
    if (auto ok = validate(blip, workload.length); !ok) return ok;
  }
  const double messages = workload.rate * std::chrono::duration<double>(workload.length).count();
  if (messages <= static_cast<double>(kMaxMessages)) return {};
  return fail(ErrorCode::kLimitExceeded,
              "the play has more than " + std::to_string(kMaxMessages) + " messages");
}

Number number_of(std::string_view body) {
  Number number = 0;
  std::from_chars(body.data(), body.data() + body.size(), number);
  return number;
}

class Play {
 public:
  Play(Engine engine, VirtualClock& clock, const Workload& workload)
      : engine_(std::move(engine)), clock_(clock), workload_(workload), traffic_(workload) {}

  Result<Verdict> run(QueueOptions options) {
    options.dead_letters.queue = kDeadLetterQueue;
    if (auto declared = engine_.create_queue(kQueue, options, MissingQueues::kCreate); !declared)
      return tl::unexpected(declared.error());
    if (auto played = play(); !played) return tl::unexpected(played.error());
    if (auto counted = count_quarantined(); !counted) return tl::unexpected(counted.error());
    return traffic_.verdict();
  }

 private:
  // Work is a delivery that a consumer works on.
  struct Work {
    Timestamp ends;
    std::uint64_t order;  // if two end together, the one that began first goes first
    Receipt receipt;
    Number message;
    friend bool operator>(const Work& a, const Work& b) {
      return std::pair(a.ends, a.order) > std::pair(b.ends, b.order);
    }
  };

  Result<void> play() {
    const Timestamp end = start_ + workload_.length + workload_.time_limit;
    for (Timestamp next = start_; next <= end;) {
      clock_.set(next);
      engine_.run_due();
      if (auto ok = finish_work(); !ok) return ok;
      if (auto ok = send_due(); !ok) return ok;
      if (auto ok = hand_out(); !ok) return ok;
      auto info = engine_.describe_queue(kQueue);
      if (!info) return tl::unexpected(info.error());
      if (traffic_.all_settled(info->totals.dead_lettered)) return {};
      const Timestamp work_ends = work_.empty() ? Timestamp::max() : work_.top().ends;
      next = std::max(next, std::min({traffic_.next_send(start_), work_ends, engine_.run_due()}));
    }
    return {};
  }

  Result<void> finish_work() {
    while (!work_.empty() && work_.top().ends <= clock_.now()) {
      const Work work = work_.top();
      work_.pop();
      const bool failed = traffic_.fails(work.message, clock_.now() - start_);
      if (!failed) {
        if (auto ok = engine_.ack(work.receipt); !ok) return ok;
        traffic_.note_ack(work.message, clock_.now());
        continue;
      }
      traffic_.note_failure(work.message, clock_.now());
      if (workload_.failure == Failure::kCrash) continue;
      if (auto ok = engine_.release(work.receipt); !ok) return ok;
    }
    return {};
  }

  Result<void> send_due() {
    std::vector<Message> messages;
    while (messages.size() < limits::kBatchEntries && traffic_.next_send(start_) <= clock_.now())
      messages.push_back({.body = std::to_string(traffic_.send(clock_.now()))});
    if (messages.empty()) return {};
    auto sent = engine_.send_batch(kQueue, std::move(messages));
    if (!sent) return tl::unexpected(sent.error());
    for (const Result<Sent>& one : *sent) {
      if (!one) return tl::unexpected(one.error());
    }
    return {};
  }

  Result<void> hand_out() {
    if (work_.size() == workload_.consumers) return {};
    const std::size_t idle = std::min(workload_.consumers - work_.size(), limits::kReceiveMax);
    auto deliveries = engine_.receive(kQueue, {.max = idle});
    if (!deliveries) return tl::unexpected(deliveries.error());
    for (const Delivery& delivery : *deliveries) {
      work_.push(
          {clock_.now() + workload_.service_time, order_++, delivery.receipt, number_of(delivery.body)});
    }
    return {};
  }

  Result<void> count_quarantined() {
    ListDeadLettersOptions options{.max = limits::kListPage, .bodies = true};
    do {
      auto page = engine_.list_dead_letters(kDeadLetterQueue, options);
      if (!page) return tl::unexpected(page.error());
      for (const DeadLetter& letter : page->items) traffic_.note_quarantined(number_of(letter.body));
      options.after = page->next;
    } while (options.after);
    return {};
  }

  Engine engine_;
  VirtualClock& clock_;
  const Workload& workload_;
  Traffic traffic_;
  const Timestamp start_ = clock_.now();
  std::priority_queue<Work, std::vector<Work>, std::greater<>> work_;
  std::uint64_t order_ = 0;
};

}  // namespace

Result<Verdict> rehearse(QueueOptions options, const Workload& workload) {
  if (auto ok = validate(workload); !ok) return tl::unexpected(ok.error());
  if (options.lease <= workload.service_time)
    return fail(ErrorCode::kInvalidArgument, "the lease must be longer than the service time");
  auto store = open_memory_store(std::make_shared<MemoryDisk>(workload.seed));
  if (!store) return tl::unexpected(store.error());
  VirtualClock clock;
  auto engine = EngineInside::open_over(std::move(*store),
                                        {.clock = &clock, .background = false, .id_salt = workload.seed});
  if (!engine) return tl::unexpected(engine.error());
  return Play(std::move(*engine), clock, workload).run(std::move(options));
}

}  // namespace holdfast::rehearsal
