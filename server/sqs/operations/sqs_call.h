// An operation that a client asks for.
#pragma once

#include <chrono>
#include <string>

#include "holdfast/dead_letter.h"
#include "server/options/sqs_options.h"
#include "server/sqs/operations/broker_calls.h"
#include "server/sqs/operations/cooldown.h"
#include "server/sqs/operations/receive_attempts.h"

namespace holdfast::server::sqs {

// All connections share one Shared. It must outlive them.
struct Shared {
  explicit Shared(SqsOptions sqs_options)
      : options(std::move(sqs_options)), deleted(options.cooldown), purged(options.cooldown) {}

  const SqsOptions options;
  Cooldown deleted;
  Cooldown purged;
  ReceiveAttempts attempts;
};

struct SqsCall {
  Shared& shared;
  BrokerCalls broker;
  std::string base_url;  // "http://localhost:7780/000000000000/"
  Consumer consumer;     // the one who receives: its address and its software
  // `sender` is the access key id of the client that signed and sends. It is empty if nobody must sign.
  std::string sender;
  std::chrono::steady_clock::time_point now;

  const SqsOptions& options() const { return shared.options; }
  std::string url_of(const std::string& queue) const { return base_url + queue; }
};

}  // namespace holdfast::server::sqs
