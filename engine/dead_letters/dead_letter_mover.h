// Moves messages to their dead letter queue, or drops them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/context/context.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/alert_teller.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/queue/failures.h"

namespace holdfast {

class DeadLetterMover {
 public:
  DeadLetterMover(EngineContext& engine, AlertTeller& alerts, Dispatcher& dispatcher, Retention& retention)
      : engine_(engine), alerts_(alerts), dispatcher_(dispatcher), retention_(retention) {}

  // Moves one message to `target`, with the record of why it died, in one atomic write. `record` has the
  // cause and what the last failure was; the function fills in the rest. `told` has the earlier failures too.
  void dead_letter(Queue& source, Queue& target, const MessageRef& ref, const MessageView& message,
                   FailureRecord record, const ToldFailures& told, Timestamp time)
      HOLDFAST_REQUIRES(source.mutex, target.mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);

  // Moves the queue's exhausted messages to its dead letter queue. A call that made messages exhausted moves
  // all of them. `kSome` moves as many as take some tens of milliseconds, and the scheduler sees to the rest.
  enum class HowMany : bool { kAll, kSome };
  struct Moved {
    std::optional<GroupNumber> last = {};  // the last group; nothing if no message moved
    bool all = true;
  };
  Result<Moved> dead_letter_exhausted(const std::shared_ptr<Queue>& queue, HowMany how = HowMany::kAll)
      HOLDFAST_EXCLUDES(inside_gate);
  // Moves some of the exhausted messages, and waits for the commit. Returns whether any moved.
  bool dead_letter_some(const std::shared_ptr<Queue>& queue) HOLDFAST_EXCLUDES(inside_gate);

 private:
  static constexpr std::size_t kDeadLetteredAtOnce = 4096;
  static constexpr std::size_t kDeadLetteredBytesAtOnce = 16 << 20;

  // Removes a message that expired or made room, without a record.
  void drop(Queue& queue, const MessageRef& ref, const MessageView& message, EventKind why, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);
  // Moves or drops an exhausted message. If it has nowhere to go, it is ready again.
  void settle_exhausted(Queue& queue, const std::shared_ptr<Queue>& target, const MessageRef& ref,
                        const MessageView& message, const ToldFailures& told, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex, target->mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);

  // The batch has exhausted messages, with all that must be read to move the first `count` of them.
  struct ExhaustedBatch {
    std::vector<MessageRef> refs = {};
    std::vector<ToldFailures> told = {};
    ChunkLoader::LoadedChunks chunks = {};
    std::size_t count = 0;
    std::set<std::string> categories = {};  // of the failures of these messages

    std::size_t body_bytes(std::size_t i) const {
      return chunks[i] ? (*chunks[i])->message(refs[i].index).body.size() : 0;
    }
  };
  ExhaustedBatch load_exhausted(Queue& queue, Seq from, std::optional<GroupNumber> before)
      HOLDFAST_EXCLUDES(inside_gate);
  // Settles the i-th message of a batch. Returns the error of what could not be read.
  Result<void> settle_exhausted_at(Queue& queue, const std::shared_ptr<Queue>& target,
                                   const ExhaustedBatch& step, std::size_t i, Timestamp time)
      HOLDFAST_REQUIRES(queue.mutex, target->mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);

  EngineContext& engine_;
  AlertTeller& alerts_;
  Dispatcher& dispatcher_;
  Retention& retention_;
};

}  // namespace holdfast
