// The verbs that create, change, stop and list queues. holdfast/broker.h says what holds of every verb.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"

namespace holdfast {

// Each change is fsynced before the call returns. A call on a queue that does not exist gives kQueueNotFound.
class QueueVerbs {
 public:
  virtual ~QueueVerbs() = default;

  // Creates a queue. The queues that the options name (dead_letter_queue, dead_letter_routes, parking_queue)
  // must exist, unless `missing` has them created in the same write. A queue of that name with the same
  // options is left as it is. Returns whether the queue is new, and warnings about its options.
  //
  // kInvalidArgument for a name or an option that makes no sense, alone or with the others, and for a parking
  // queue that has auto_redrive; kLimitExceeded for one past a limit; kQueueExists if the queue has other
  // options; kQueueNotFound for a missing queue that `missing` does not have created; kDeadLetterCycle if
  // dead letters could come back to the queue; kPermissionDenied if the dead_letter_sources of a named queue
  // leave this one out.
  virtual Result<QueueDeclared> create_queue(std::string_view name, QueueOptions options = {},
                                             MissingQueues missing = {}) = 0;
  // Changes options of a queue, all or none of them. A new max_deliveries is applied when the next delivery
  // fails. The queues that the options name must exist, as for create_queue. Returns warnings about the
  // options that the queue then has.
  //
  // The errors are those of create_queue except for kQueueExists, and concern all options that the queue
  // would then have. In addition kQueueInUse if dead_letter_sources would leave out a queue that dead-letters
  // to this one; and kInvalidArgument for auto_redrive on a queue that others park in, and for grouping while
  // the queue has messages of higher levels of priority.
  virtual Result<QueueDeclared> alter_queue(std::string_view name, QueueChanges changes,
                                            MissingQueues missing = {}) = 0;
  // Pauses deliveries, sends or both, in addition to what is paused already. While deliveries are paused,
  // receives wait or give nothing; leases, delays, settling and dead-lettering go on. While sends are paused,
  // they are refused with kQueuePaused; dead letters and redriven messages still come in. kInvalidArgument if
  // `what` names neither.
  virtual Result<void> pause_queue(std::string_view name, Pause what) = 0;
  // Ends a pause of deliveries, of sends or of both. What is not paused stays as it is. kInvalidArgument if
  // `what` names neither.
  virtual Result<void> resume_queue(std::string_view name, Pause what) = 0;
  // Deletes a queue with everything in it. kQueueInUse while another queue dead-letters to it or parks in it.
  virtual Result<void> delete_queue(std::string_view name) = 0;
  // Deletes all messages of a queue, leased ones included. Returns the number of deleted messages.
  virtual Result<std::uint64_t> purge_queue(std::string_view name) = 0;
  // Returns what is known of a queue: its options, what is paused, and its counts and totals, which may
  // include what is not committed yet.
  virtual Result<QueueInfo> describe_queue(std::string_view name) = 0;
  // Returns what describe_queue() returns of a queue, for all queues, sorted by name.
  virtual Result<std::vector<QueueInfo>> list_queues() = 0;
};

}  // namespace holdfast

// HOLDFAST_QUEUE_VERBS names each verb again, with the number of its parameters, and how many of them,
// counted from the end, have a default. Broker says what this list is for.
#define HOLDFAST_QUEUE_VERBS(FORM) \
  FORM(create_queue, 3, 2)         \
  FORM(alter_queue, 3, 1)          \
  FORM(pause_queue, 2, 0)          \
  FORM(resume_queue, 2, 0)         \
  FORM(delete_queue, 1, 0)         \
  FORM(purge_queue, 1, 0)          \
  FORM(describe_queue, 1, 0)       \
  FORM(list_queues, 0, 0)
