#include "holdfast/time.h"

namespace holdfast {
namespace {

class SystemClock final : public Clock {
 public:
  Timestamp now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace holdfast
