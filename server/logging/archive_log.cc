#include "server/logging/archive_log.h"

#include "server/logging/console.h"

namespace holdfast::server {

void ArchiveLog::note(const ArchiveHealth& health) {
  const bool known = health.last.has_value() == last_.has_value() &&
                     (health.last || health.last.error().message == last_.error().message);
  if (known) return;
  last_ = health.last;
  if (last_) {
    log_.info("dead letters are archived again");
  } else {
    log_.error("dead letters are not archived and stay in their queues: {}", escaped(last_.error().message));
  }
}

}  // namespace holdfast::server
