// The verbs that send, receive and settle messages. holdfast/broker.h says what holds of every verb.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/ids.h"
#include "holdfast/journal.h"
#include "holdfast/message.h"
#include "holdfast/peek.h"
#include "holdfast/queue.h"
#include "holdfast/time.h"

namespace holdfast {

struct SendOptions {
  std::optional<Durability> durability = {};  // default: the queue's
  std::string request_id = {};                // see Broker; empty: none
  // Of a client: a message that has not left within this time does not leave at all. The answer is then
  // kUnavailable, or kOutcomeUnknown if an earlier attempt did leave; so also where
  // ClientOptions::call_timeout is longer. An engine waits for no connection and ignores it. A Broker that
  // wraps another one passes it on.
  std::optional<Duration> within = {};
};

struct ReceiveOptions {
  // The call hands out at most this many messages: 1..limits::kReceiveMax, with at most limits::kBatchBytes
  // of bodies and attributes.
  std::size_t max = 1;
  std::optional<Duration> lease = {};  // default: the queue's; limits::kLeaseMin..kLeaseMax
  Duration wait{0};                    // how long to block until a message is there; 0..limits::kWaitMax
  Consumer consumer = {};              // for the failure record, should a delivery fail
  // The deliveries are not charged until start() is called. A delivery that is never started goes back to its
  // place, uncharged and without a failure, whether it is released, its lease runs out or the engine crashes.
  bool prefetch = false;
};

struct SettleOptions {
  std::optional<Durability> durability = {};  // of an ack or reject; default: the queue's
  std::string request_id = {};                // see Broker; empty: none
  // The audit of a dead letter that is acknowledged names this actor. Default: the consumer's instance.
  std::string actor = {};
};

struct ReleaseOptions {
  // The message is handed out again after this long: 0..limits::kDelayMax. Default: the delay of the queue's
  // retry policy if the delivery is charged, none if it is not.
  std::optional<Duration> delay = {};
  bool charge = true;  // false: the delivery does not count against the maximum number of deliveries
  // `to` says where the message goes. Default: where the queue's retry policy says if the delivery is
  // charged, its old place if it is not. kTail is refused (kInvalidArgument) for a message of an ordered
  // queue and for a dead letter.
  std::optional<ReturnTo> to = {};
  // `failure` says why the delivery failed. It is kept until the message is settled, and is in the failure
  // record should the message die. It needs `charge` (kInvalidArgument without): an uncharged delivery did
  // not fail. It starts a prefetched delivery, since a consumer that says why it failed has tried it.
  Failure failure = {};
};

struct ExtendOptions {
  // The consumer is about to let the lease run out and says why: the delivery then fails with this text. A
  // settling call before that takes its place. A prefetched delivery is started by it.
  Failure lets_run_out = {};
};

// A BatchResult is what a call about several entries gives: the answer of each entry, in the order of the
// entries, or the one error of what concerns the whole call. Broker says which is which.
template <class T>
using BatchResult = Result<std::vector<Result<T>>>;

class MessageVerbs {
 public:
  virtual ~MessageVerbs() = default;

  // send() and send_batch() add messages to a queue. limits.h and the queue's options bound each message; a
  // batch has at most limits::kBatchEntries of them and, if it has more than one, limits::kBatchBytes of
  // bodies and attributes. The answer has the id of each message; if a queue with deduplication knows a
  // message already, it adds nothing and answers with the id of the first one (Sent::duplicate). The messages
  // are as durable as SendOptions asks or, if it does not, as the queue's option durability says;
  // Sent::durability tells how durable they have become.
  //
  // Of the whole call: kQueueNotFound; kQueuePaused while sends to the queue are paused; kDiskFull while the
  // device is down to its reserve (EngineOptions::free_space_reserve); kLimitExceeded for a batch or a
  // request id past its limit. Of one message: kLimitExceeded if it is past a limit, such as the queue's
  // max_body_bytes; kInvalidArgument if it makes no sense, or does not go with the queue's options: it lacks
  // a group, for example, or has a priority or a time to live that the queue does not offer; kQueueFull if
  // the queue has no room, and cannot make enough; kQueueInUse if other queues dead-letter to the queue or
  // park in it, and it does not have direct_sends.
  virtual Result<Sent> send(std::string_view queue, Message message, SendOptions options = {}) = 0;
  virtual BatchResult<Sent> send_batch(std::string_view queue, std::vector<Message> messages,
                                       SendOptions options = {}) = 0;

  // Hands out up to `max` messages, oldest first, each leased to the caller. Each delivery is counted in the
  // log (buffered) before this returns. An empty list says that there was no message, even after `wait`. A
  // message that cannot be read is passed over: it stays, uncharged, and is tried again a second later. An
  // error says that nothing could be read and that nothing is leased. docs/state-machine.md lists what waits
  // for such a message.
  virtual Result<Deliveries> receive(std::string_view queue, ReceiveOptions options = {}) = 0;

  // Looks at messages by place or by id without receiving them, and changes nothing. It shows the messages of
  // the log or, with PeekOptions::scheduled, those that wait outside of it for the end of a delay;
  // QueueCounts::waiting counts waiting messages of both kinds. What is not committed is not shown.
  virtual Result<PeekPage> peek(std::string_view queue, PeekOptions options = {}) = 0;

  // ack, extend, start, release and reject, and their batch forms, take receipts, each of which names one
  // delivery. kReceiptStale if the delivery is over: it was settled, or its lease ran out. kMessageNotFound
  // if the message is gone from where it was received: it was acknowledged, dead-lettered or purged, for
  // example, or its queue was deleted. Both are of one receipt. A batch has at most limits::kBatchEntries
  // receipts, of any queues (kLimitExceeded). Acks and rejects are as durable as SettleOptions asks or, if it
  // does not, as the option durability of the message's queue says. Extensions, starts and releases are
  // buffered.

  // Says that the work on a message is done, and deletes the message.
  virtual Result<void> ack(const Receipt& receipt, SettleOptions options = {}) = 0;
  virtual BatchResult<void> ack_batch(std::span<const Receipt> receipts, SettleOptions options = {}) = 0;

  // Renews the lease of a delivery, so that it ends `lease` from now: limits::kLeaseMin..kLeaseMax.
  // kInvalidArgument for less, and kLimitExceeded for more.
  virtual Result<void> extend(const Receipt& receipt, Duration lease, ExtendOptions options = {}) = 0;
  virtual BatchResult<void> extend_batch(std::span<const Receipt> receipts, Duration lease,
                                         ExtendOptions options = {}) = 0;

  // Work on a prefetched delivery (ReceiveOptions::prefetch) starts: one write charges the delivery and
  // renews its lease. Starting a delivery again only renews the lease; an ordinary delivery is not changed.
  virtual Result<void> start(const Receipt& receipt) = 0;
  virtual BatchResult<void> start_batch(std::span<const Receipt> receipts) = 0;

  // Gives the message back, to be handed out again now or after a delay. If the delivery is charged and was
  // the last one allowed, the message is dead-lettered instead. ReleaseOptions says what is refused.
  virtual Result<void> release(const Receipt& receipt, ReleaseOptions options = {}) = 0;
  virtual BatchResult<void> release_batch(std::span<const Receipt> receipts, ReleaseOptions options = {}) = 0;

  // Dead-letters the message now, with the reason. If the queue has no dead letter queue for the rejection's
  // category, it deletes the message if it has discard_rejected, and refuses otherwise (kNoDeadLetterQueue).
  // A batch of large messages is moved and committed a few MiB at a time.
  virtual Result<void> reject(const Receipt& receipt, Rejection rejection, SettleOptions options = {}) = 0;
  virtual BatchResult<void> reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                         SettleOptions options = {}) = 0;

  // Tells where a message has been, over all queues, as far as the queues that it was in keep a journal
  // (QueueOptions::journal) and still remember it; what is not committed is not told. A move between queues
  // is remembered if either of them keeps a journal. A message that nobody remembers has no steps, and
  // neither has a message of a deleted queue.
  virtual Result<MessageHistory> message_history(const MessageId& id) = 0;
};

}  // namespace holdfast

// HOLDFAST_MESSAGE_VERBS names each verb again, with the number of its parameters, and how many of them,
// counted from the end, have a default. Broker says what this list is for.
#define HOLDFAST_MESSAGE_VERBS(FORM) \
  FORM(send, 3, 1)                   \
  FORM(send_batch, 3, 1)             \
  FORM(receive, 2, 1)                \
  FORM(peek, 2, 1)                   \
  FORM(ack, 2, 1)                    \
  FORM(ack_batch, 2, 1)              \
  FORM(extend, 3, 1)                 \
  FORM(extend_batch, 3, 1)           \
  FORM(start, 1, 0)                  \
  FORM(start_batch, 1, 0)            \
  FORM(release, 2, 1)                \
  FORM(release_batch, 2, 1)          \
  FORM(reject, 3, 1)                 \
  FORM(reject_batch, 3, 1)           \
  FORM(message_history, 1, 0)
