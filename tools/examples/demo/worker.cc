#include "tools/examples/demo/worker.h"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>

#include "tools/examples/demo/producer.h"

namespace holdfast::demo {
namespace {

constexpr std::size_t kBatch = 100;
constexpr auto kWait = std::chrono::milliseconds(200);
constexpr auto kPause = std::chrono::milliseconds(20);

bool is_suspect(const Delivery& delivery) { return delivery.deliveries > 1; }

Line line_of(Entry entry, const Delivery& delivery) {
  const auto key = find_attribute(delivery.attributes, kCorrelationIdAttribute);
  return {entry, number_of(key).value_or(std::string::npos), delivery.id};
}

std::vector<Line> lines_of(Entry entry, const Deliveries& deliveries) {
  std::vector<Line> lines;
  lines.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) lines.push_back(line_of(entry, delivery));
  return lines;
}

std::vector<Receipt> receipts_of(const Deliveries& deliveries) {
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  return receipts;
}

// Returns the first error that does not pass. A message that could not be settled is handed out again when
// its lease runs out, so errors that pass do not matter.
Result<void> first_lasting_error(const BatchResult<void>& answers) {
  if (!answers) {
    if (is_passing(answers.error().code)) return {};
    return tl::unexpected(answers.error());
  }
  for (const Result<void>& answer : *answers) {
    if (answer || is_passing(answer.error().code)) continue;
    const ErrorCode code = answer.error().code;
    if (code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound) continue;
    return answer;
  }
  return {};
}

}  // namespace

Worker::Worker(Broker& broker, Ledger& ledger, WorkerOptions options)
    : broker_(broker), ledger_(ledger), options_(std::move(options)) {}

Result<void> Worker::run() {
  while (!options_.stop()) {
    auto deliveries = broker_.receive(
        kQueue, {.max = one_by_one_ ? 1 : kBatch, .wait = kWait, .consumer = options_.consumer});
    if (!deliveries && is_passing(deliveries.error().code)) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    if (!deliveries) return tl::unexpected(deliveries.error());
    if (auto handled = handle(std::move(*deliveries)); !handled) return handled;
  }
  return {};
}

Result<void> Worker::handle(Deliveries deliveries) {
  if (auto noted = ledger_.append(lines_of(Entry::kHandedOut, deliveries)); !noted) return noted;
  const bool suspects = std::ranges::any_of(deliveries, is_suspect);
  const bool alone = deliveries.size() == 1;
  one_by_one_ = suspects;
  if (alone || !suspects) return settle(deliveries);
  auto fresh = give_back_suspects(std::move(deliveries));
  if (!fresh) return tl::unexpected(fresh.error());
  return settle(*fresh);
}

// Releases suspects unstarted and uncharged, and returns the other deliveries.
Result<Deliveries> Worker::give_back_suspects(Deliveries deliveries) {
  const auto middle = std::stable_partition(deliveries.begin(), deliveries.end(), is_suspect);
  Deliveries fresh(middle, deliveries.end());
  deliveries.erase(middle, deliveries.end());
  if (auto noted = ledger_.append(lines_of(Entry::kGivenBack, deliveries)); !noted) {
    return tl::unexpected(noted.error());
  }
  auto released = first_lasting_error(broker_.release_batch(receipts_of(deliveries), {.count = false}));
  if (!released) return tl::unexpected(released.error());
  return fresh;
}

Result<void> Worker::settle(const Deliveries& deliveries) {
  Deliveries fine;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Receipt>> rejected;
  for (const Delivery& delivery : deliveries) {
    auto rejection = check(Package(delivery.body), options_.rules);
    if (rejection) {
      rejected[{rejection->category, rejection->reason, rejection->code}].push_back(delivery.receipt);
    } else {
      fine.push_back(delivery);
    }
  }
  if (auto noted = ledger_.append(lines_of(Entry::kProcessed, fine)); !noted) return noted;
  if (!fine.empty()) {
    if (auto acked = first_lasting_error(broker_.ack_batch(receipts_of(fine))); !acked) return acked;
  }
  for (const auto& [why, receipts] : rejected) {
    const auto& [category, reason, code] = why;
    const Rejection rejection{.category = category, .reason = reason, .code = code};
    auto settled = first_lasting_error(broker_.reject_batch(receipts, rejection));
    if (!settled) return settled;
  }
  return {};
}

}  // namespace holdfast::demo
