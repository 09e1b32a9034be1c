#include "tools/examples/demo/producer.h"

#include <algorithm>
#include <thread>

namespace holdfast::demo {
namespace {

constexpr std::size_t kBatch = 100;
constexpr auto kPause = std::chrono::milliseconds(20);

// Returns where an earlier run stopped, as its ledger says.
Result<std::size_t> first_unsent(const std::filesystem::path& file) {
  auto lines = read_ledgers(file.parent_path(), file.filename());
  if (!lines) return tl::unexpected(lines.error());
  std::size_t first = 0;
  for (const Line& line : *lines) {
    if (line.entry == Entry::kSent) first = std::max(first, line.number);
  }
  return first;
}

using Numbers = std::vector<std::size_t>;

// Sends the packages. Returns those that must be sent again.
Result<Numbers> send(Broker& broker, const PackageIndex& index, const Numbers& numbers, Ledger& ledger) {
  std::vector<Message> messages;
  for (const std::size_t number : numbers) {
    messages.push_back({.body = std::string(index.package(number).text()),
                        .attributes = {{std::string(kCorrelationIdAttribute), index.key(number)}}});
  }
  auto answers = broker.send_batch(kQueue, std::move(messages));

  Numbers again;
  std::vector<Line> unknown;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Error* error = nullptr;
    if (!answers) {
      error = &answers.error();
    } else if (!(*answers)[i]) {
      error = &(*answers)[i].error();
    }
    if (error == nullptr) continue;
    if (!is_passing(error->code)) return tl::unexpected(*error);
    again.push_back(numbers[i]);
    if (error->code == ErrorCode::kOutcomeUnknown) unknown.push_back({Entry::kUnknown, numbers[i]});
  }
  if (auto noted = ledger.append(unknown); !noted) return tl::unexpected(noted.error());
  return again;
}

}  // namespace

bool is_passing(ErrorCode code) {
  return code == ErrorCode::kOutcomeUnknown || code == ErrorCode::kUnavailable ||
         code == ErrorCode::kClosed || code == ErrorCode::kOverloaded;
}

Result<void> produce(Broker& broker, const PackageIndex& index, const std::filesystem::path& ledger_file) {
  auto ledger = Ledger::open(ledger_file);
  if (!ledger) return tl::unexpected(ledger.error());
  auto first = first_unsent(ledger_file);
  if (!first) return tl::unexpected(first.error());
  for (std::size_t begin = *first; begin < index.size(); begin += kBatch) {
    const std::size_t end = std::min(begin + kBatch, index.size());
    Numbers pending;
    for (std::size_t number = begin; number < end; ++number) pending.push_back(number);
    while (!pending.empty()) {
      auto again = send(broker, index, pending, *ledger);
      if (!again) return tl::unexpected(again.error());
      pending = std::move(*again);
      if (!pending.empty()) std::this_thread::sleep_for(kPause);
    }
    if (auto noted = ledger->append({{Entry::kSent, end}}); !noted) return noted;
  }
  return {};
}

}  // namespace holdfast::demo
