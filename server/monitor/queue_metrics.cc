// The queues' metrics are bounded in number, since each label makes a new series: by a maximum of queues, and
// by a maximum of causes and categories in each, beyond which all others count as one.
#include <algorithm>

#include "server/monitor/metrics.h"

namespace holdfast::server {
namespace {

constexpr const char* kOthers = "(others)";
constexpr Family::Cut kDeliveryTimes{.scale = kMicrosecond, .first = 8, .last = 36};  // 255 us to 19 h

class QueueFamilies {
 public:
  QueueFamilies(Engine& engine, Timestamp now) : engine_(engine), now_(now) {}

  Result<void> add(const QueueInfo& queue) {
    add_counts(queue);
    add_totals(queue);
    add_alerts(queue);
    auto numbers = engine_.queue_statistics(queue.name);
    if (!numbers) return tl::unexpected(numbers.error());
    const Labels labels{{"queue", queue.name}};
    if (numbers->oldest_ready) oldest_ready_.add(age(*numbers->oldest_ready), labels);
    if (numbers->oldest_leased) oldest_leased_.add(age(*numbers->oldest_leased), labels);
    if (numbers->oldest_died_at) oldest_dead_.add(age(*numbers->oldest_died_at), labels);
    add_arrivals(queue, numbers->arrivals);
    disk_.add(static_cast<double>(numbers->disk_bytes), labels);
    delivery_.add(numbers->delivery_latency, kDeliveryTimes, labels);
    if (queue.counts.dead == 0) return {};
    add_groups(queue, DeadLetterGrouping::kCause, "cause", causes_);
    add_groups(queue, DeadLetterGrouping::kCategory, "category", categories_);
    return {};
  }

  void move_to(Families& families) && {
    for (Family* family :
         {&messages_, &bytes_, &dead_, &causes_, &categories_, &oldest_dead_, &arrivals_, &totals_,
          &oldest_ready_, &oldest_leased_, &disk_, &delivery_, &firing_, &values_, &braked_, &paused_}) {
      std::move(*family).move_to(families);
    }
  }

 private:
  // A time that comes from before the clock was set back has no age yet.
  double age(Timestamp from) const {
    return static_cast<double>(std::max(Duration{0}, now_ - from).count()) * kMicrosecond;
  }

  void add_counts(const QueueInfo& queue) {
    const auto& counts = queue.counts;
    const std::pair<const char*, std::uint64_t> states[] = {
        {"ready", counts.ready}, {"waiting", counts.waiting}, {"leased", counts.leased}};
    for (const auto& [state, count] : states) {
      messages_.add(static_cast<double>(count), {{"queue", queue.name}, {"state", state}});
    }
    dead_.add(static_cast<double>(counts.dead), {{"queue", queue.name}});
    bytes_.add(static_cast<double>(queue.bytes), {{"queue", queue.name}});
    paused_.add(queue.paused == Pause{} ? 0 : 1, {{"queue", queue.name}});
    braked_.add(queue.braked_until > now_ ? 1 : 0, {{"queue", queue.name}});
  }

  void add_totals(const QueueInfo& queue) {
    const auto& totals = queue.totals;
    const std::pair<const char*, std::uint64_t> outcomes[] = {{"sent", totals.sent},
                                                              {"delivered", totals.delivered},
                                                              {"acked", totals.acked},
                                                              {"dead_lettered", totals.dead_lettered},
                                                              {"discarded", totals.discarded},
                                                              {"redriven", totals.redriven},
                                                              {"parked", totals.parked},
                                                              {"expired", totals.expired},
                                                              {"overflowed", totals.overflowed}};
    for (const auto& [event, count] : outcomes) {
      totals_.add(static_cast<double>(count), {{"queue", queue.name}, {"event", event}});
    }
  }

  void add_arrivals(const QueueInfo& queue, const ArrivalTotals& arrivals) {
    for (const auto& [category, count] : arrivals.categories)
      arrivals_.add(static_cast<double>(count), {{"queue", queue.name}, {"category", category}});
    if (arrivals.other_categories == 0) return;
    arrivals_.add(static_cast<double>(arrivals.other_categories),
                  {{"queue", queue.name}, {"category", kOthers}});
  }

  void add_alerts(const QueueInfo& queue) {
    for (const Alert& alert : queue.alerts) {
      firing_.add(1, {{"queue", queue.name},
                      {"rule", alert.rule},
                      {"severity", std::string(to_string(alert.severity))}});
      values_.add(static_cast<double>(alert.value), {{"queue", queue.name}, {"rule", alert.rule}});
    }
  }

  // A record that cannot be read must not prevent all other numbers.
  void add_groups(const QueueInfo& queue, DeadLetterGrouping by, const char* label, Family& family) {
    const auto groups = engine_.group_dead_letters(queue.name, {.by = by, .max = kDeadLetterGroups});
    if (!groups) return;
    std::uint64_t others = groups->total;
    for (const DeadLetterGroup& group : groups->groups) {
      family.add(static_cast<double>(group.count), {{"queue", queue.name}, {label, group.value}});
      others -= std::min(others, group.count);
    }
    if (groups->left_out > 0)
      family.add(static_cast<double>(others), {{"queue", queue.name}, {label, kOthers}});
  }

  Engine& engine_;
  const Timestamp now_;
  Family messages_ = gauge("holdfast_queue_messages", "Messages in each state");
  Family bytes_ = gauge("holdfast_queue_bytes", "Bodies and attributes of the messages");
  Family dead_ = gauge("holdfast_queue_dead_letters", "How many of the messages are dead letters");
  Family causes_ = gauge("holdfast_queue_dead_letters_by_cause", "Dead letters by why they died");
  Family categories_ = gauge("holdfast_queue_dead_letters_by_category", "Dead letters by what rejected them");
  Family oldest_dead_ =
      gauge("holdfast_queue_oldest_dead_letter_age_seconds", "Since the death of the one that died first");
  Family arrivals_ = counter("holdfast_queue_dead_letter_arrivals_total",
                             "Dead letters that have come since the queue was created, by category");
  Family totals_ = counter("holdfast_queue_events_total", "What has happened to messages, by event");
  Family oldest_ready_ = gauge("holdfast_queue_oldest_ready_age_seconds",
                               "Since the message that is handed out next was first sent");
  Family oldest_leased_ =
      gauge("holdfast_queue_oldest_leased_age_seconds", "Since the foremost leased message was first sent");
  Family disk_ = gauge("holdfast_queue_disk_bytes", "Approximate size on disk");
  Family delivery_ = histogram("holdfast_queue_delivery_seconds", "Time from send to hand-out");
  Family firing_ = gauge("holdfast_queue_alert", "1 for each alert rule that holds");
  Family values_ = gauge("holdfast_queue_alert_value", "The measured value of each alert rule that holds");
  Family braked_ = gauge("holdfast_queue_braked", "1 while the flood brake is on");
  Family paused_ = gauge("holdfast_queue_paused", "1 while deliveries or sends are paused");
};

}  // namespace

Result<void> add_queue_families(Engine& engine, std::size_t max_queues, Timestamp now, Families& families) {
  const auto queues = engine.list_queues();
  if (!queues) return tl::unexpected(queues.error());
  QueueFamilies all(engine, now);
  const std::size_t shown = std::min(max_queues, queues->size());
  for (std::size_t i = 0; i < shown; ++i) {
    auto added = all.add((*queues)[i]);
    // A queue that was deleted meanwhile is no failure.
    if (!added && added.error().code != ErrorCode::kQueueNotFound) return added;
  }
  std::move(all).move_to(families);
  Family omitted = gauge("holdfast_queues_omitted", "Queues left out here because there are too many");
  omitted.add(static_cast<double>(queues->size() - shown));
  std::move(omitted).move_to(families);
  return {};
}

}  // namespace holdfast::server
