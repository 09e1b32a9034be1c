// ClientMessageVerbs sends, peeks and receives messages. A send gets a request id, unless the client's
// options say otherwise or the server would forget it too soon, so that a repetition after a lost connection
// stores nothing twice.
#include <algorithm>

#include "client/calls/call_sender.h"
#include "engine/base/helpers/batch_result.h"
#include "schema/convert/messages/message_history_conversion.h"
#include "schema/convert/messages/peek_conversion.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;
using std::chrono::steady_clock;

ClientCall<BatchResult<Sent>> ClientMessageVerbs::send_batch(std::string_view queue,
                                                             std::vector<Message> messages,
                                                             SendOptions options) const {
  if (auto ok = convert::check_batch(messages); !ok)
    return client::answered(BatchResult<Sent>(tl::unexpected(ok.error())));
  auto identity = sender_.identify(std::move(options.request_id), Effect::kOnce, options.within);
  options.request_id = std::move(identity.request_id);
  auto read = [entries = messages.size()](wire::SendReply::Reader from, const Answer&) {
    return convert::read(from, entries);
  };
  const std::uint64_t words = convert::request_words(messages);
  const auto within = options.within;
  return sender_.call(
      {.effect = identity.effect, .words = words, .within = within}, &Rpc::sendBatchRequest,
      [queue = std::string(queue), messages = std::move(messages), options = std::move(options)](
          wire::SendRequest::Builder to) { convert::write(queue, messages, options, to); },
      read);
}

ClientCall<Result<Sent>> ClientMessageVerbs::send(std::string_view queue, Message message,
                                                  SendOptions options) const {
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  return client::converted(send_batch(queue, std::move(messages), std::move(options)), only_answer<Sent>);
}

ClientCall<Result<PeekPage>> ClientMessageVerbs::peek(std::string_view queue, PeekOptions options) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::peekRequest,
      [queue = std::string(queue), options = std::move(options)](wire::PeekRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::PeekReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<MessageHistory>> ClientMessageVerbs::message_history(const MessageId& id) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::messageHistoryRequest,
      [id](wire::MessageHistoryRequest::Builder to) { convert::write(id, to); },
      [](wire::MessageHistoryReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<Deliveries>> ClientMessageVerbs::receive(std::string_view queue,
                                                           ReceiveOptions options) const {
  const auto wait = options.wait;
  // A repetition waits for the rest of the time.
  auto write = [queue = std::string(queue), options = std::move(options), wait,
                started = steady_clock::time_point()](wire::ReceiveRequest::Builder to) mutable {
    const auto now = steady_clock::now();
    if (started == steady_clock::time_point()) {
      started = now;
    } else {
      const auto elapsed = std::chrono::duration_cast<Duration>(now - started);
      options.wait = std::max(wait - elapsed, Duration(0));
    }
    convert::write(queue, options, to);
  };
  return sender_.call({.effect = Effect::kLeases, .wait = wait}, &Rpc::receiveRequest, std::move(write),
                      [](wire::ReceiveReply::Reader from, const Answer& answer) {
                        return convert::read(from, answer.frames.of(from));
                      });
}

}  // namespace holdfast
