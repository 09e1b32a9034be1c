// Answers calls that send, receive and look at messages. Messages whose client has hung up or lost its rights
// while they were on their way go back to their queue.
#include <array>

#include "schema/convert/messages/message_history_conversion.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "server/access/tokens.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"
#include "server/calls/reply_size.h"
#include "server/delivery/pending_deliveries.h"

namespace holdfast::server {
namespace {

std::size_t bytes_of(const std::vector<Message>& messages) {
  std::size_t bytes = 0;
  for (const auto& message : messages) {
    bytes += message.body.size();
    for (const auto& [name, value] : message.attributes) bytes += name.size() + value.size();
  }
  return bytes;
}

kj::Promise<void> send_batch(Call<wire::SendRequest, wire::SendReply> call) {
  auto asked = read_request(call);
  if (!asked) return answer_now<BatchResult<Sent>>(call, tl::unexpected(asked.error()));
  if (auto ok = call->admit_send(bytes_of(asked->messages)); !ok)
    return answer_now<BatchResult<Sent>>(call, tl::unexpected(ok.error()));
  return answer<BatchResult<Sent>>(call, [&](auto done) {
    call->engine().async_send_batch(asked->queue, std::move(asked->messages), asked->options, done);
  });
}

kj::Promise<void> receive(Call<wire::ReceiveRequest, wire::ReceiveReply> call) {
  using R = Result<Deliveries>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  auto started = call->state().promises.make<kj::Own<PendingDeliveries>>();
  auto received = [&engine = call->engine(), done = started.done](R result) {
    done(kj::heap<PendingDeliveries>(engine, std::move(result)));
  };
  auto token = call->engine().async_receive(asked->queue, asked->options, std::move(received));
  call->release_params();
  auto wait = std::make_unique<CancellableReceives::CancellableReceive>(call->state().cancellable_receives,
                                                                        token, call->caller().rights());
  auto reply = [call, wait = std::move(wait)](kj::Own<PendingDeliveries> pending) mutable {
    wait->over();
    // If nobody should get the deliveries that came meanwhile, `pending` gives them back to their queue.
    if (call->state().draining || call->peer().has_gone()) return write_answer<R>(call, Deliveries());
    if (call->caller().is_revoked())
      return write_answer<R>(call, tl::unexpected(revoked(*call->caller().rights())));
    const auto& deliveries = pending->result();
    auto size = reply_size(deliveries ? *deliveries : Deliveries());
    auto admitted = call->peer().admit_reply(size.wordCount * sizeof(capnp::word));
    if (!admitted) return write_answer<R>(call, tl::unexpected(admitted.error()));
    if (!pending->result()) note_error(*call, pending->result().error());
    convert::write(pending->result(), call.reply(size));
    if (!pending->result()) return;
    call->peer().hold(*deliveries);
    pending->taken();
  };
  return started.promise.then(kj::mv(reply));
}

kj::Promise<void> peek(Call<wire::PeekRequest, wire::PeekReply> call) {
  using R = Result<PeekPage>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  return answer_blocking<R>(call,
                            [&engine = call->engine(), queue = std::string(asked->queue),
                             options = std::move(asked->options)] { return engine.peek(queue, options); });
}

kj::Promise<void> message_history(Call<wire::MessageHistoryRequest, wire::MessageHistoryReply> call) {
  auto work = [&engine = call->engine(), id = read_request(call), rights = call->caller().rights()] {
    auto history = engine.message_history(id);
    if (history && rights) {
      std::erase_if(history->steps,
                    [&](const HistoryStep& step) { return !rights->allow(Right::kOperate, step.queue); });
    }
    return history;
  };
  return answer_blocking<Result<MessageHistory>>(call, std::move(work));
}

}  // namespace

std::span<const Method> message_methods() {
  static const std::array methods = {
      method<send_batch>("sendBatch", {Need::kQueues, Right::kProduce, Content::kNone},
                         {.begins_work = true}),
      method<receive>("receive", {Need::kQueues, Right::kConsume, Content::kWhole},
                      {.begins_work = true, .may_be_given_up = true, .takes_long = true}),
      method<peek>("peek", {Need::kQueues, Right::kOperate, Content::kRedacted},
                   {.shows_what_is_stored = true}),
      // The answer has only steps in queues that the caller may operate.
      method<message_history>("messageHistory", {Need::kAny, {}, Content::kNone},
                              {.shows_what_is_stored = true}),
  };
  return methods;
}

}  // namespace holdfast::server
