// Repeats the calls of a simulation that have a request id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/simulation/run/calls.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/sent_messages.h"

namespace holdfast::simulation {

class Repeats {
 public:
  Repeats(Run& run, Recovery& recovery, Calls& calls, SentMessages& sent)
      : run_(run), recovery_(recovery), calls_(calls), sent_(sent) {}

  void remember(const Subject& queue, const std::vector<Message>& messages, const SendOptions& options,
                const std::vector<Result<Sent>>& answers);
  void repeat_send();
  void repeat_redrive(const std::string& queue, const RedriveOptions& options, const Result<Redriven>& first);
  // Checks that a repeated settlement has the same answers as the first one.
  void check_repeated(const std::vector<Result<void>>& first, const std::vector<Result<void>>& again);
  // Tells that the process stood still.
  void stood_still() {
    if (last_send_) last_send_->stood_still = true;
  }

 private:
  struct Call {
    const Subject* queue = nullptr;
    std::vector<Message> messages = {};
    SendOptions options = {};
    Duration at = {};  // by World::lived()
    std::vector<MessageId> ids = {};
    std::uint64_t life = 0;    // the life of the process in which the call was made
    bool stood_still = false;  // whether the process has stood still since then
  };

  Run& run_;
  Recovery& recovery_;
  Calls& calls_;
  SentMessages& sent_;
  std::optional<Call> last_send_;  // the last answered send that had a request id
};

}  // namespace holdfast::simulation
