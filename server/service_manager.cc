#include "server/service_manager.h"

#include <systemd/sd-daemon.h>

namespace holdfast::server {

// What the calls answer is whether somebody was told, and nobody need be.

void notify_ready(const std::string& status) { (void)::sd_notify(0, ("READY=1\nSTATUS=" + status).c_str()); }

void notify_alive() { (void)::sd_notify(0, "WATCHDOG=1"); }

void notify_stopping() { (void)::sd_notify(0, "STOPPING=1"); }

}  // namespace holdfast::server
