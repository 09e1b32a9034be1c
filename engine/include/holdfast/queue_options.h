// The options of a queue, grouped by what they concern: QueueOptions, which a queue has, and QueueChanges,
// which change them. The headers in options/ say what each group has; users include only this one.
//
//   QueueOptions options{.retry = {.max_deliveries = 3}, .dead_letters = {.queue = "orders-dlq"}};
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "holdfast/detail/option_field.h"
#include "holdfast/limits.h"
#include "holdfast/message.h"
#include "holdfast/options/alert_rules.h"
#include "holdfast/options/dead_letter_options.h"
#include "holdfast/options/deduplication_options.h"
#include "holdfast/options/expiry_options.h"
#include "holdfast/options/flood_brake.h"
#include "holdfast/options/grouping_options.h"
#include "holdfast/options/journal_options.h"
#include "holdfast/options/limit_options.h"
#include "holdfast/options/priority_options.h"
#include "holdfast/options/retention_options.h"
#include "holdfast/options/retry_options.h"
#include "holdfast/time.h"

namespace holdfast {

// Tags are names and values that people put on a queue.
using Tags = std::map<std::string, std::string>;

// A queue has these options. Each is declared once for both forms: QueueOptions and QueueChanges. How an
// option is stored, sent, set and shown is a row of the table in engine/base/options/queue_option_table.h,
// which also gives it the name that the command, the protocol and errors have for it.
//
// Several options limit or change sends only. Dead letters and redriven messages come into a queue whatever
// such an option says.
template <template <class> class Field>
struct QueueOptionFields {
  // A delivery is leased for this long when the receive does not say: limits::kLeaseMin..kLeaseMax.
  Field<Duration> lease = detail::initially<Field, Duration>(std::chrono::seconds(30));

  // A message waits for this long before it may first be handed out, when its send does not say:
  // 0..limits::kDelayMax. It holds for sends only, not for dead-lettering or redrive. A change is for later
  // sends.
  Field<Duration> delay = {};

  // Sends, acks and rejects that do not say their durability have this one.
  Field<Durability> durability = detail::initially<Field>(Durability::kFsync);

  RetryOptionFields<Field> retry = {};
  DeadLetterOptionFields<Field> dead_letters = {};
  ExpiryOptionFields<Field> expiry = {};
  LimitOptionFields<Field> limits = {};
  GroupingOptionFields<Field> grouping = {};
  DeduplicationOptionFields<Field> deduplication = {};
  PriorityOptionFields<Field> priority = {};
  RetentionOptionFields<Field> retention = {};

  // The alert rules say when a dead letter queue calls for people.
  Field<AlertRules> alerts = {};

  // The brake slows a queue with a dead letter queue when its messages die in large numbers.
  Field<FloodBrake> brake = {};

  // The journal is what the queue remembers of the steps of its messages. It is off by default, and then
  // costs nothing. With a journal every step of a message (sent, delivered, released, acknowledged and so on)
  // is one more row in the atomic write of that step. A journal survives a purge. Turning it off deletes it.
  Field<JournalOptions> journal = {};

  // Tags are names and values of your own. At most limits::kTags; names of 1..limits::kTagNameBytes, values
  // of 0..limits::kTagValueBytes.
  Field<Tags> tags = {};

  friend bool operator==(const QueueOptionFields&, const QueueOptionFields&) = default;
};

using QueueOptions = QueueOptionFields<detail::OptionValue>;

static_assert(LimitOptionFields<detail::OptionValue>{}.max_body_bytes == limits::kBodyBytes);

// QueueChanges has the options to change; an option that is not set stays as it is. An empty name removes the
// dead letter queue or the parking queue. A list or tags replace all that were there.
using QueueChanges = QueueOptionFields<detail::OptionChange>;

}  // namespace holdfast
