// What a pipeline runs through: something that takes messages and hands them out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bench/workload.h"

namespace holdfast::bench {

// One connection that sends. Used by one thread at a time. Calls throw BenchError.
class Producer {
 public:
  virtual ~Producer() = default;
  // One batch. Returns when all of it is as durable as the workload says.
  virtual void send(const Bodies& bodies) = 0;
};

// One connection that receives and acknowledges.
class Consumer {
 public:
  virtual ~Consumer() = default;
  // At most a batch, shows each body, and acknowledges them as durably as the workload says. May come back
  // with nothing after kPatience.
  virtual void consume(const std::function<void(std::string_view body)>& each) = 0;
};

inline constexpr std::chrono::milliseconds kPatience{50};

class Service {
 public:
  virtual ~Service() = default;

  // "redis": a part of the lines' names.
  virtual std::string name() const = 0;

  // Makes a queue that is not there yet.
  virtual void make_queue(const std::string& queue, const Workload& workload) = 0;
  virtual std::unique_ptr<Producer> producer(const std::string& queue, const Workload& workload) = 0;
  // Null from a service that only gives back what it was sent: then a message that was sent is done.
  virtual std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) = 0;

  // Of the server; 0 if it is this process.
  virtual pid_t pid() const = 0;
};

}  // namespace holdfast::bench
