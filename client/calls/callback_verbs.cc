// This file has the verbs with a callback that have names of their own, such as async_receive().
#include "client/calls/call_sender.h"

namespace holdfast {

void Client::async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                              BatchCallback<Sent> done) {
  verbs().send_batch(queue, std::move(messages), std::move(options)).start(0, std::move(done));
}

Client::ReceiveToken Client::async_receive(std::string_view queue, ReceiveOptions options,
                                           Callback<Deliveries> done) {
  return async_call([&](ClientVerbs& verbs) { return verbs.receive(queue, std::move(options)); },
                    [done = std::move(done)](Result<Deliveries> received) {
                      const bool cancelled = !received && received.error().code == ErrorCode::kCancelled;
                      done(cancelled ? Deliveries{} : std::move(received));
                    });
}

void Client::async_ack_batch(std::span<const Receipt> receipts, SettleOptions options,
                             BatchCallback<void> done) {
  verbs().ack_batch(receipts, std::move(options)).start(0, std::move(done));
}

void Client::async_extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options,
                                BatchCallback<void> done) {
  verbs().extend_batch(receipts, lease, std::move(options)).start(0, std::move(done));
}

void Client::async_start_batch(std::span<const Receipt> receipts, BatchCallback<void> done) {
  verbs().start_batch(receipts).start(0, std::move(done));
}

void Client::async_release_batch(std::span<const Receipt> receipts, ReleaseOptions options,
                                 BatchCallback<void> done) {
  verbs().release_batch(receipts, std::move(options)).start(0, std::move(done));
}

void Client::async_reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                SettleOptions options, BatchCallback<void> done) {
  verbs().reject_batch(receipts, rejection, std::move(options)).start(0, std::move(done));
}

Client::CallToken Client::async_redrive(std::string_view queue, RedriveOptions options,
                                        Callback<Redriven> done) {
  return async_call([&](ClientVerbs& verbs) { return verbs.redrive(queue, std::move(options)); },
                    std::move(done));
}

}  // namespace holdfast
