// The verbs that create, change, stop and list queues. holdfast/broker.h says what holds of every verb.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/queue.h"

namespace holdfast {

// Each change is fsynced before the call returns.
class QueueVerbs {
 public:
  virtual ~QueueVerbs() = default;

  // Creates a queue. A queue of that name with the same options is left as it is; one with other options
  // gives kQueueExists.
  virtual Result<QueueDeclared> create_queue(std::string_view name, QueueOptions options = {},
                                             MissingQueues missing = {}) = 0;
  // Changes options of a queue. A new max_deliveries is applied when the next delivery fails.
  virtual Result<QueueDeclared> alter_queue(std::string_view name, QueueChanges changes,
                                            MissingQueues missing = {}) = 0;
  // Pauses deliveries, sends or both, in addition to what is paused already. While deliveries are paused,
  // receives wait or give nothing; leases, delays, settling and dead-lettering go on. While sends are paused,
  // they are refused with kQueuePaused; dead letters and redriven messages still come in. kInvalidArgument if
  // `what` names neither.
  virtual Result<void> pause_queue(std::string_view name, Pause what) = 0;
  // Ends such a pause.
  virtual Result<void> resume_queue(std::string_view name, Pause what) = 0;
  // Deletes a queue with everything in it. kQueueInUse while another queue dead-letters to it.
  virtual Result<void> delete_queue(std::string_view name) = 0;
  // Deletes all messages of a queue, leased ones included. Returns the number of deleted messages.
  virtual Result<std::uint64_t> purge_queue(std::string_view name) = 0;
  virtual Result<QueueInfo> describe_queue(std::string_view name) = 0;
  // Returns all queues, sorted by name.
  virtual Result<std::vector<QueueInfo>> list_queues() = 0;
};

}  // namespace holdfast

// Each verb again by name, with the number of its parameters, and how many of them, counted from the end,
// have a default. Broker says what this list is for.
#define HOLDFAST_QUEUE_VERBS(FORM) \
  FORM(create_queue, 3, 2)         \
  FORM(alter_queue, 3, 1)          \
  FORM(pause_queue, 2, 0)          \
  FORM(resume_queue, 2, 0)         \
  FORM(delete_queue, 1, 0)         \
  FORM(purge_queue, 1, 0)          \
  FORM(describe_queue, 1, 0)       \
  FORM(list_queues, 0, 0)
