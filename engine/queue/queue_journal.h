// A queue's journal, as the changes of its messages write it. A queue has one, under its mutex.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/lanes.h"
#include "engine/journal/journal.h"

namespace holdfast {

class Catalog;

class QueueJournal final : public Journal {
 public:
  // The name and the state are the queue's.
  QueueJournal(const std::string& name, const Lanes& state, const Catalog& catalog)
      : name_(name), state_(state), catalog_(catalog) {}

  // A step of a message; of one that is named by its seq, before it leaves its place. Nothing without a
  // journal.
  void record(const MessageId& message, HistoryStep step);
  void record(Seq seq, HistoryStep step);
  // Of a message that lay there. There is a journal.
  void record(const MessageRef& place, HistoryStep step);
  void record(const std::vector<LeaseEnd>& ended);
  // Messages that were handed out just now.
  void record(std::span<const Grant> grants, const LeaseTerms& terms, Timestamp time);
  // A step from here to another queue; in that one's journal if there is none here.
  void record_move(const MessageId& message, QueueJournal& to, HistoryStep step);
  // Where a message of the window lies.
  std::optional<MessageRef> place_of(Seq seq) const;

 private:
  void note_step(const Subject& message, HistoryStep step);

  const std::string& name_;
  const Lanes& state_;
  const Catalog& catalog_;
};

}  // namespace holdfast
