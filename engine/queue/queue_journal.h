// A QueueJournal is the journal as the changes of messages write it. A queue has one, under its mutex.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/queue_state.h"
#include "engine/journal/journal.h"

namespace holdfast {

class Catalog;

class QueueJournal final : public Journal {
 public:
  // The name and the state belong to the queue.
  QueueJournal(const std::string& name, const QueueState& state, const Catalog& catalog)
      : name_(name), state_(state), catalog_(catalog) {}

  // Records a step of a message. A message that is named by its seq must not have left its place yet. Without
  // a journal, nothing happens.
  void record(const MessageId& message, HistoryStep step);
  void record(Seq seq, HistoryStep step);
  // These record a step of a message that was in the log, and the leases that ended. The queue must have a
  // journal.
  void record(const MessageRef& place, HistoryStep step);
  void record(const std::vector<LeaseEnd>& ended);
  // Records the delivery of messages that were handed out just now.
  void record(std::span<const Grant> grants, const LeaseTerms& terms, Timestamp time);
  // Records a step from this queue to another one. If this queue has no journal, the step goes to that of the
  // other one.
  void record_move(const MessageId& message, QueueJournal& to, HistoryStep step);
  // Returns where a message of the window lies, or nothing if it is in no chunk of the window.
  std::optional<MessageRef> place_of(Seq seq) const;

 private:
  void note_step(const Subject& message, HistoryStep step);

  const std::string& name_;
  const QueueState& state_;
  const Catalog& catalog_;
};

}  // namespace holdfast
