// The verbs of an embedded engine, by concern. Users call them as members of Engine (holdfast/engine.h).
//
// One class has to override all that Broker declares. So the classes stand on one another, and each adds the
// verbs of one concern.
#pragma once

#include <memory>
#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/detail/verbs.h"

namespace holdfast {

// EngineHandle owns the inside of an engine.
class EngineHandle : public Broker {
 public:
  class Impl;

 protected:
  explicit EngineHandle(std::unique_ptr<Impl> impl);
  EngineHandle(EngineHandle&&) noexcept;
  ~EngineHandle() override;

  std::unique_ptr<Impl> impl_;  // null once moved from
};

class EngineQueueVerbs : public EngineHandle {
 public:
  HOLDFAST_QUEUE_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using EngineHandle::EngineHandle;
};

class EngineMessageVerbs : public EngineQueueVerbs {
 public:
  HOLDFAST_MESSAGE_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using EngineQueueVerbs::EngineQueueVerbs;
};

class EngineDeadLetterVerbs : public EngineMessageVerbs {
 public:
  HOLDFAST_DEAD_LETTER_VERBS(HOLDFAST_OVERRIDE)

  // Redrives dead letters as messages that a function makes. A dry run calls the function too. When the
  // engine is closed or the process ends, such a task ends as kInterrupted; what it has moved stays moved,
  // and a call that waits gets kOutcomeUnknown. kInvalidArgument for a park.
  Result<Redriven> redrive(std::string_view queue, RedriveOptions options, RedriveTransform transform);

 protected:
  using EngineMessageVerbs::EngineMessageVerbs;
};

class EngineOperationVerbs : public EngineDeadLetterVerbs {
 public:
  Timestamp now() const override;
  HOLDFAST_OPERATION_VERBS(HOLDFAST_OVERRIDE)

 protected:
  using EngineDeadLetterVerbs::EngineDeadLetterVerbs;
};

}  // namespace holdfast
