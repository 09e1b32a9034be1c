// DeadLetterCalls makes the calls that move and change dead letters.
#pragma once

#include <string>
#include <vector>

#include "tests/client/cuts/caller_context.h"
#include "tests/client/cuts/delivery_calls.h"

namespace holdfast::testing {

class DeadLetterCalls {
 public:
  DeadLetterCalls(CallerContext& context, DeliveryCalls& deliveries)
      : context_(context), deliveries_(deliveries) {}

  void redrive();
  void park();
  void start_redrive();
  // Cancels a task that waits for what becomes of its canary, the first of its two dead letters, for as long
  // as that takes.
  void cancel_redrive();
  void import_dead_letter();
  void discard();
  void change();

  // Makes a dead letter, and returns what redrives it.
  RedriveOptions dead_one();

 private:
  MessageId dead_letter(const std::string& name);
  void redriven(const std::string& verb, const RedriveOptions& options, const Result<Redriven>& result);
  TaskId start_waiting_task(const std::vector<MessageId>& ids);
  DeadLetter take_out(const MessageId& id);

  CallerContext& context_;
  DeliveryCalls& deliveries_;
};

}  // namespace holdfast::testing
