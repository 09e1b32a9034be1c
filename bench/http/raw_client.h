// HTTP/1.1 clients that do as little as they can. They write whole requests as they are, and look only at the
// status, the length and the body of an answer. One thread serves all connections of a load.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

// A Talker makes the requests of one connection.
class Talker {
 public:
  virtual ~Talker() = default;
  // Returns the next request, which stays in place until the next call; null if there is none. `body` is the
  // body of the answer to the previous request.
  virtual const std::string* next(std::string_view body) = 0;
  // Returns whether nothing would be left half done if there were no further request. If it is false, the
  // talker goes on although its time is over.
  virtual bool may_stop() const { return true; }
  // Returns how many messages are done.
  virtual std::uint64_t messages() const = 0;
};

struct LoadResult {
  std::uint64_t requests = 0;
  std::uint64_t messages = 0;
  double seconds = 0;
};

// Gives each talker a connection, on which it sends its next request when the last one is answered. Ends at
// `limit`, or when no talker has a request. Throws BenchError for an answer that is no success.
LoadResult run_load(std::uint16_t port, const std::vector<std::unique_ptr<Talker>>& talkers,
                    std::chrono::duration<double> limit);

// Sends one request on a connection of its own. Returns the answer's body; throws BenchError if it is no
// success.
std::string ask(std::uint16_t port, const std::string& request);

// Makes the request "POST /path HTTP/1.1" with the body's length. `headers` are whole lines, each with its
// end.
std::string make_request(std::string_view method, std::string_view path, std::string_view headers,
                         std::string_view body);

}  // namespace holdfast::bench
