// The parts of the demo: packages and their rules, options, workers, the scenario, and the reconciliation at
// the end. Functions throw what goes wrong, because the demo can only say it and end.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast::demo {

inline constexpr const char* kQueue = "packages";
inline constexpr const char* kDeadLetterQueue = "packages-dlq";

// Packages are the packages of an index, each a text of lines "Name: value".
using Packages = std::vector<std::string>;
Packages read_packages(const std::filesystem::path& index);

// Returns what names a package in messages, ledgers and dead letters: "17/0ad_0.0.26-3_amd64".
std::string key_of(const Packages& packages, std::size_t number);

// Thrown on a package with more dependencies than the parser has room for. A few real packages have more.
using ParserOverflow = std::length_error;

// kHomepageCategory is the category whose rule can be relaxed, to accept http beside https.
inline constexpr const char* kHomepageCategory = "homepage";

// Returns what is wrong with the package, or nothing if it is fine.
std::optional<Rejection> check(std::string_view package, bool relaxed);

struct Options {
  std::filesystem::path index;
  std::filesystem::path holdfastd;
  std::filesystem::path directory;  // for data, ledgers and log; empty: a temporary one
  std::size_t workers = 4;
  bool embedded = false;
  bool json = false;
  bool keep = false;
  std::string worker = {};  // not empty: this process is the worker of that name,
  bool relaxed = false;     // and accepts http

  std::filesystem::path data() const { return directory / "data"; }
  std::filesystem::path ledgers() const { return directory / "ledgers"; }
  std::filesystem::path log() const { return directory / "log"; }
  std::string address() const { return "unix:" + (directory / "socket").string(); }  // of the server
  std::FILE* out() const { return json ? stderr : stdout; }
};

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(to_string(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Workers that run as long as this object exists: threads beside an engine, or processes with a server.
class Workers {
 public:
  virtual ~Workers() = default;
  // Replaces workers that crashed. Returns how many have crashed so far.
  virtual std::size_t tend() = 0;
};
// Starts workers. If `relaxed` is true they are of version 2, which accepts http.
using StartWorkers = std::function<std::unique_ptr<Workers>(bool relaxed)>;

// A Reconciliation says what became of a run's packages. Numbers count packages unless they say messages.
struct Reconciliation {
  std::size_t sent = 0;
  std::size_t processed = 0;        // in a ledger
  std::size_t dead = 0;             // in the dead letter queue at the end, and in no ledger
  std::size_t lost = 0;             // neither
  std::size_t redriven = 0;         // messages that went back from the dead letter queue
  std::size_t accepted = 0;         // messages that the broker itself counts as sent
  std::size_t redelivered = 0;      // deliveries beyond the first one of a message, or of a redriven message
  std::size_t processed_again = 0;  // lines in ledgers beyond the first one of a package

  bool balanced() const { return lost == 0 && sent == processed + dead && accepted >= sent; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reconciliation, sent, processed, dead, lost, redriven, accepted,
                                   redelivered, processed_again)

// Formats a number with its digits in groups: "63,666".
std::string grouped(std::size_t number);

// Sends the packages, has them checked, and redrives one category. Calls `at_half` when half of them is sent.
Reconciliation run_scenario(Broker& broker, const StartWorkers& start_workers, const Packages& packages,
                            const Options& options, std::function<void()> at_half);

Reconciliation run_embedded(const Packages& packages, const Options& options);
Reconciliation run_served(const Packages& packages, const Options& options);
// Does what a worker process does until it is killed.
int work_for_server(const Options& options);

}  // namespace holdfast::demo
