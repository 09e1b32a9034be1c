// Remembers what was done to a queue and may not be done again for a while. A name or an id stands for the
// queue.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "engine/sync/mutex.h"

namespace holdfast::server::sqs {

// Any thread may use it. It is kept only in memory: a server that starts anew remembers nothing.
class Cooldown {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Cooldown(std::chrono::seconds length) : length_(length) {}

  void begin(const std::string& name, Time now);
  bool holds(const std::string& name, Time now) const;

 private:
  const std::chrono::seconds length_;
  mutable sync::Mutex mutex_;
  std::map<std::string, Time> until_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server::sqs
