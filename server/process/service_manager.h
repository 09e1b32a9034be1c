// What the service manager is told (sd_notify(3)). Where there is none, as at a terminal, nothing happens.
#pragma once

#include <chrono>
#include <string>

#include "holdfast/operations.h"

namespace holdfast::server {

// For one thread. As NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID say; what is meant for another process is
// left alone.
class ServiceManager {
 public:
  // Clients can connect. `status`: a line for `systemctl status`.
  explicit ServiceManager(std::string status);

  // How long one may take between calls of alive(); at most a second.
  std::chrono::nanoseconds period() const { return period_; }
  // It still works. May be called more often than needed.
  void alive();
  // Says so if it is draining or drained, or no longer.
  void note(const DrainStatus& drain);
  void stopping();

 private:
  const std::string serving_;
  std::string status_;
  bool watched_;
  std::chrono::nanoseconds period_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace holdfast::server
