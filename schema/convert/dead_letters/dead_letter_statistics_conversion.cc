#include "schema/convert/dead_letters/dead_letter_statistics_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

using Counts = std::vector<ArrivalCount>;

void write(const Counts& from, capnp::List<wire::ArrivalCount>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setValue(as_text(from[i].value));
    to[i].setCount(from[i].count);
  }
}

Counts read(capnp::List<wire::ArrivalCount>::Reader from) {
  Counts counts;
  for (const auto count : at_most(limits::kArrivalCategories, from))
    counts.push_back({string(count.getValue()), count.getCount()});
  return counts;
}

void write(const std::vector<Arrivals>& from, capnp::List<wire::Arrivals>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    const Arrivals& arrivals = from[i];
    to[i].setFromMicros(micros(arrivals.from));
    to[i].setTotal(arrivals.total);
    write(arrivals.categories, to[i].initCategories(static_cast<unsigned>(arrivals.categories.size())));
    to[i].setOtherCategories(arrivals.other_categories);
    write(arrivals.causes, to[i].initCauses(static_cast<unsigned>(arrivals.causes.size())));
  }
}

std::vector<Arrivals> read(capnp::List<wire::Arrivals>::Reader from) {
  std::vector<Arrivals> result;
  for (const auto arrivals : at_most(limits::kArrivalHours, from)) {
    result.push_back({.from = timestamp(arrivals.getFromMicros()),
                      .total = arrivals.getTotal(),
                      .categories = read(arrivals.getCategories()),
                      .other_categories = arrivals.getOtherCategories(),
                      .causes = read(arrivals.getCauses())});
  }
  return result;
}

}  // namespace

void write(std::string_view queue, const DeadLetterStatisticsOptions& options,
           wire::DeadLetterStatisticsRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  to.setHours(saturated(options.hours));
  to.setDays(saturated(options.days));
}

DeadLetterStatisticsCall read(wire::DeadLetterStatisticsRequest::Reader from) {
  return {.queue = view(from.getQueue()), .options = {.hours = from.getHours(), .days = from.getDays()}};
}

void write(const Result<DeadLetterStatistics>& from, wire::DeadLetterStatisticsReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setAtMicros(micros(from->at));
  ok.setDead(from->dead);
  if (from->oldest_died_at) ok.getOldest().setDiedAtMicros(micros(*from->oldest_died_at));
  auto ages = ok.initAges(static_cast<unsigned>(from->ages.size()));
  for (unsigned i = 0; i < ages.size(); ++i) {
    ages[i].setFromMicros(from->ages[i].from.count());
    ages[i].setToMicros(from->ages[i].to.count());
    ages[i].setCount(from->ages[i].count);
  }
  ok.setArrivalsLastMinute(from->arrivals_last_minute);
  write(from->hours, ok.initHours(static_cast<unsigned>(from->hours.size())));
  write(from->days, ok.initDays(static_cast<unsigned>(from->days.size())));
}

Result<DeadLetterStatistics> read(wire::DeadLetterStatisticsReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  const auto oldest = ok.getOldest();
  DeadLetterStatistics result{
      .at = timestamp(ok.getAtMicros()),
      .dead = ok.getDead(),
      .oldest_died_at = oldest.isNone() ? std::nullopt : std::optional(timestamp(oldest.getDiedAtMicros())),
      .ages = {},
      .arrivals_last_minute = ok.getArrivalsLastMinute(),
      .hours = read(ok.getHours()),
      .days = read(ok.getDays())};
  for (const auto age : at_most(kShortList, ok.getAges()))
    result.ages.push_back({Duration(age.getFromMicros()), Duration(age.getToMicros()), age.getCount()});
  return result;
}

void write(const ArrivalTotals& from, wire::ArrivalTotals::Builder to) {
  write(from.categories, to.initCategories(static_cast<unsigned>(from.categories.size())));
  to.setOtherCategories(from.other_categories);
}

ArrivalTotals read(wire::ArrivalTotals::Reader from) {
  return {.categories = read(from.getCategories()), .other_categories = from.getOtherCategories()};
}

}  // namespace holdfast::convert
