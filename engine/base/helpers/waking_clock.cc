#include "engine/base/helpers/waking_clock.h"

#include <ctime>

namespace holdfast {
namespace {

class WakingClock final : public Clock {
 public:
  Timestamp now() const override { return system_clock().now(); }
  Duration steady() const override {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return std::chrono::seconds(time.tv_sec) +
           std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(time.tv_nsec));
  }
};

}  // namespace

const Clock& waking_clock() {
  static const WakingClock clock;
  return clock;
}

}  // namespace holdfast
