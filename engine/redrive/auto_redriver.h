// Redrives by a queue's own policy.
#pragma once

#include <memory>

#include "engine/context/context.h"
#include "engine/dead_letters/retention.h"
#include "engine/redrive/task_stepper.h"

namespace holdfast {

class AutoRedriver {
 public:
  AutoRedriver(EngineContext& engine, Retention& retention, TaskStepper& task_stepper)
      : engine_(engine), retention_(retention), task_stepper_(task_stepper) {}

  // Does one round of the queue's policy. Returns the error of what could not be read.
  Result<void> auto_redrive(const std::shared_ptr<Queue>& queue)
      HOLDFAST_EXCLUDES(inside_gate, queue->records_mutex);

 private:
  EngineContext& engine_;
  Retention& retention_;
  TaskStepper& task_stepper_;
};

}  // namespace holdfast
