// Names for calls. They differ from those of all other calls of all clients.
#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <random>
#include <string>

namespace holdfast::client {

class RequestIds {
 public:
  // Returns, for example, "f0e1d2c3b4a59687.2a": the name of this client and the number of the call.
  std::string next() {
    char digits[16];
    const auto number = next_.fetch_add(1, std::memory_order_relaxed);
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number, 16).ptr;
    return client_ + std::string(digits, end);
  }

 private:
  static std::string random_name() {
    std::random_device device;
    std::string name;
    for (int i = 0; i < 16; ++i) name.push_back("0123456789abcdef"[device() % 16]);
    return name + '.';
  }

  const std::string client_ = random_name();
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace holdfast::client
