// The parts of the demo that are the same with a server and without.
#pragma once

#include <filesystem>
#include <functional>

#include "holdfast/broker.h"
#include "tools/examples/demo/narrator.h"
#include "tools/examples/demo/packages/package.h"
#include "tools/examples/demo/reconciliation.h"
#include "tools/examples/demo/workers.h"

namespace holdfast::demo {

struct Setting {
  const PackageIndex& index;
  std::filesystem::path index_file;
  std::filesystem::path directory;  // for data, ledgers and logs
  std::filesystem::path holdfastd;
  std::size_t workers = 4;

  std::filesystem::path data() const { return directory / "data"; }
  std::filesystem::path ledgers() const { return directory / "ledgers"; }
  std::filesystem::path log() const { return directory / "log"; }
  WorkersOptions worker_options() const { return {.size = workers, .ledgers = ledgers(), .log = log()}; }
};

struct Outcome {
  Reconciliation reconciliation;
  std::uint64_t redriven = 0;
};

Result<void> create_queues(Broker& broker);

using Bars = std::function<std::vector<Bar>(const QueueInfo&)>;
using IsSent = std::function<Result<bool>(const QueueInfo&)>;

// Returns the progress of sending and settling `total` messages.
Bars sending_bars(std::size_t total);

// Tends the workers and shows progress until `is_sent` says that all is sent and nothing is left in the
// queue. Both are called with the queue's state, many times a second.
Result<void> work_off(Broker& broker, Workers& workers, Narrator& narrator, const Bars& bars,
                      const IsSent& is_sent);

// Shows the dead letters, redrives one category to workers with its rule relaxed, and closes the accounts.
Result<Outcome> bring_back(Broker& broker, Workers& workers, Narrator& narrator, const Setting& setting);

void print_reconciliation(Narrator& narrator, const Reconciliation& reconciliation);

Result<Outcome> run_served(const Setting& setting, Narrator& narrator);
Result<Outcome> run_embedded(const Setting& setting, Narrator& narrator, bool json);
// Plays the first half of the embedded run, in a process that kills itself in the middle of it.
Result<void> run_until_killed(const Setting& setting, Narrator& narrator);

}  // namespace holdfast::demo
