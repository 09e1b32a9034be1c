// Makes the requests of a load in each protocol.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/message.h"

namespace holdfast::bench {

using Bodies = std::vector<std::string>;

class Dialect {
 public:
  virtual ~Dialect() = default;

  virtual std::string send(const std::string& queue, const Bodies& bodies) const = 0;
  virtual std::string receive(const std::string& queue, std::size_t max) const = 0;
  // Returns what the messages in the answer to a receive are deleted by.
  virtual std::vector<std::string> receipts(std::string_view answer) const = 0;
  virtual std::string remove(const std::string& queue, const std::vector<std::string>& receipts) const = 0;
};

// Makes the dialect of Holdfast's own API.
std::unique_ptr<Dialect> api_dialect();
// Makes the dialect of Amazon SQS's JSON protocol. `urls` is what the URLs of queues have before their names.
std::unique_ptr<Dialect> sqs_dialect(const std::string& urls);
// Makes a dialect of as many bytes as the API's, for a server that gives back what it is sent.
std::unique_ptr<Dialect> echo_dialect(std::size_t body_bytes);

// Make the request that creates a queue, over Holdfast's API and over SQS.
std::string create_over_api(const std::string& queue, Durability durability, bool ordered);
std::string create_over_sqs(const std::string& queue);
// Returns what the URLs of queues have before their names. `answer` is the answer to create_over_sqs() for
// that queue.
std::string urls_in(std::string_view answer, const std::string& queue);
// Makes a batch for an ordered queue, over Holdfast's API. The messages are of the groups in turn, from
// `first` on.
std::string send_in_groups(const std::string& queue, const Bodies& bodies, std::size_t first,
                           std::size_t groups);

}  // namespace holdfast::bench
