// The verbs of a client that block until the answer is there, by concern. Users call them as members of
// Client (holdfast/client.h).
//
// One class has to override all that Broker declares. So the classes stand on one another, and each adds the
// verbs of one concern.
#pragma once

#include <memory>

#include "holdfast/broker.h"
#include "holdfast/client_verbs.h"
#include "holdfast/detail/verbs.h"

namespace holdfast {

// ClientHandle owns the inside of a client.
class ClientHandle : public Broker {
 protected:
  class Impl;
  explicit ClientHandle(std::unique_ptr<Impl> impl);
  ClientHandle(ClientHandle&&) noexcept;
  ClientHandle& operator=(ClientHandle&&) noexcept;
  ~ClientHandle() override;

  ClientVerbs& verbs();

  std::unique_ptr<Impl> impl_;  // null once moved from
};

class BlockingQueueVerbs : public ClientHandle {
 public:
  HOLDFAST_QUEUE_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using ClientHandle::ClientHandle;
};

class BlockingMessageVerbs : public BlockingQueueVerbs {
 public:
  HOLDFAST_MESSAGE_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using BlockingQueueVerbs::BlockingQueueVerbs;
};

class BlockingDeadLetterVerbs : public BlockingMessageVerbs {
 public:
  HOLDFAST_DEAD_LETTER_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using BlockingMessageVerbs::BlockingMessageVerbs;
};

// For backup, verify and compact, limits::kWaitMax is added to ClientOptions::call_timeout.
class BlockingOperationVerbs : public BlockingDeadLetterVerbs {
 public:
  Timestamp now() const override;
  HOLDFAST_OPERATION_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using BlockingDeadLetterVerbs::BlockingDeadLetterVerbs;
};

}  // namespace holdfast
