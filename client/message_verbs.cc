#include <algorithm>

#include "client/impl.h"
#include "convert/peek.h"
#include "convert/receive.h"
#include "convert/send.h"
#include "convert/trace.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;
using std::chrono::steady_clock;

Result<std::vector<Result<Sent>>> Client::send_batch(std::string_view queue, std::vector<Message> messages,
                                                     SendOptions options) {
  if (auto ok = convert::check_batch(messages); !ok) return tl::unexpected(ok.error());
  auto identity = impl_->identify(std::move(options.request_id), Effect::kOnce);
  options.request_id = std::move(identity.request_id);
  return impl_->call(
      {identity.effect}, &Rpc::sendBatchRequest,
      [&](wire::SendRequest::Builder to) { convert::write(queue, messages, options, to); },
      [&](wire::SendReply::Reader from, const Answer&) { return convert::read(from, messages.size()); });
}

Result<Sent> Client::send(std::string_view queue, Message message, SendOptions options) {
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  auto results = send_batch(queue, std::move(messages), options);
  if (!results) return tl::unexpected(std::move(results).error());
  return std::move(results->front());
}

Result<PeekPage> Client::peek(std::string_view queue, PeekOptions options) {
  return impl_->call(
      {Effect::kNone}, &Rpc::peekRequest,
      [&](wire::PeekRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::PeekReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<Trace> Client::trace(const MessageId& id) {
  return impl_->call(
      {Effect::kNone}, &Rpc::traceRequest, [&](wire::TraceRequest::Builder to) { convert::write(id, to); },
      [](wire::TraceReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<Deliveries> Client::receive(std::string_view queue, ReceiveOptions options) {
  const auto wait = options.wait;
  // What is left of the wait goes into a repetition.
  auto write = [&, started = steady_clock::time_point()](wire::ReceiveRequest::Builder to) mutable {
    const auto now = steady_clock::now();
    if (started == steady_clock::time_point()) {
      started = now;
    } else {
      const auto elapsed = std::chrono::duration_cast<Duration>(now - started);
      options.wait = std::max(wait - elapsed, Duration(0));
    }
    convert::write(queue, options, to);
  };
  return impl_->call({.effect = Effect::kFenced, .wait = wait}, &Rpc::receiveRequest, write,
                     [](wire::ReceiveReply::Reader from, const Answer& answer) {
                       return convert::read(from, answer.frames.of(from));
                     });
}

}  // namespace holdfast
