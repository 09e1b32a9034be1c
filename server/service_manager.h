// What the service manager is told (sd_notify(3)). Where there is none, as at a terminal, nothing happens.
#pragma once

#include <string>

namespace holdfast::server {

// Clients can connect. `status`: a line for `systemctl status`.
void notify_ready(const std::string& status);
// It still works; more often than WatchdogSec= of the unit says, or it is killed and started anew.
void notify_alive();
void notify_stopping();

}  // namespace holdfast::server
