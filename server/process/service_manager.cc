#include "server/process/service_manager.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <utility>

namespace holdfast::server {
namespace {

using namespace std::chrono_literals;

// sd_notify() returns whether somebody was told, and nobody need be.
void notify(const std::string& lines) { (void)::sd_notify(0, lines.c_str()); }

}  // namespace

ServiceManager::ServiceManager(std::string status)
    : serving_(std::move(status)), status_(serving_), next_(std::chrono::steady_clock::now()) {
  std::uint64_t limit = 0;
  watched_ = ::sd_watchdog_enabled(0, &limit) > 0;
  constexpr auto kLongest = std::chrono::nanoseconds(1s);
  // The period is so short that a late call still comes in time.
  const std::chrono::microseconds early(std::min<std::uint64_t>(limit, 1'000'000'000) / 4);
  period_ = watched_ ? std::clamp<std::chrono::nanoseconds>(early, 1ms, kLongest) : kLongest;
  notify("READY=1\nSTATUS=" + status_);
}

void ServiceManager::alive() {
  const auto now = std::chrono::steady_clock::now();
  if (!watched_ || now < next_) return;
  next_ = now + period_;
  notify("WATCHDOG=1");
}

void ServiceManager::note(const DrainStatus& drain) {
  std::string status = !drain.draining ? serving_ : drain.over ? "drained" : "draining";
  if (status == status_) return;
  status_ = std::move(status);
  notify("STATUS=" + status_);
}

void ServiceManager::stopping() { notify("STOPPING=1"); }

}  // namespace holdfast::server
