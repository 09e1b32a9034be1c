// A pipeline runs through a service, which takes messages and hands them out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bench/harness/workload.h"

namespace holdfast::bench {

// One connection that sends. Used by one thread at a time. Calls throw BenchError.
class Producer {
 public:
  virtual ~Producer() = default;
  // Sends one batch. Returns when all of it is as durable as the workload says.
  virtual void send(const Bodies& bodies) = 0;
};

// Consumer is one connection that receives and acknowledges.
class Consumer {
 public:
  virtual ~Consumer() = default;
  // Receives at most a batch, shows each body, and acknowledges the messages as durably as the workload says.
  // It may return without a message after kReceiveTimeout.
  virtual void consume(const std::function<void(std::string_view body)>& each) = 0;
  // Returns when every acknowledgement that consume() did not wait for is answered. It is called once a turn
  // is over.
  virtual void finish() {}
};

inline constexpr std::chrono::milliseconds kReceiveTimeout{50};

class Service {
 public:
  virtual ~Service() = default;

  // Returns a part of the lines' names, such as "redis".
  virtual std::string name() const = 0;

  // Creates a queue that does not exist yet.
  virtual void make_queue(const std::string& queue, const Workload& workload) = 0;
  virtual std::unique_ptr<Producer> producer(const std::string& queue, const Workload& workload) = 0;
  // Returns null for a service that only gives back what it was sent: a message that was sent is done then.
  virtual std::unique_ptr<Consumer> consumer(const std::string& queue, const Workload& workload) = 0;

  // Returns the server's process; 0 if it is this process.
  virtual pid_t pid() const = 0;
};

}  // namespace holdfast::bench
