// HTTP/1.1 clients that do as little as they can: whole requests are written as they are, and of an answer
// only its status, its length and its body are looked at. One thread serves all connections of a load.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

// What one connection says.
class Talker {
 public:
  virtual ~Talker() = default;
  // The next request, which stays where it is until the next call; null: there is nothing more to say. `body`
  // is that of the answer to the one before.
  virtual const std::string* next(std::string_view body) = 0;
  // Whether it leaves nothing half done if it says no more: else it goes on, though its time is over.
  virtual bool may_stop() const { return true; }
  // How many messages are done.
  virtual std::uint64_t messages() const = 0;
};

struct LoadResult {
  std::uint64_t requests = 0;
  std::uint64_t messages = 0;
  double seconds = 0;
};

// Each talker has a connection and says its next request when the last one is answered, until `limit` is over
// or it has nothing more to say. BenchError for an answer that is no success.
LoadResult run_load(std::uint16_t port, const std::vector<std::unique_ptr<Talker>>& talkers,
                    std::chrono::duration<double> limit);

// One request on a connection of its own. The answer's body; BenchError if it is no success.
std::string ask(std::uint16_t port, const std::string& request);

// "POST /path HTTP/1.1" with a length. `headers`: whole lines, each with its end.
std::string make_request(std::string_view method, std::string_view path, std::string_view headers,
                         std::string_view body);

}  // namespace holdfast::bench
