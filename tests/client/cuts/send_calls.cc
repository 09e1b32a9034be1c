#include "tests/client/cuts/send_calls.h"

#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "holdfast/buffered_sender.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kCrowd = 8;

}  // namespace

using namespace std::chrono_literals;

std::string SendCalls::next_sent(const std::string& verb) {
  const std::string name = context_.next_name();
  sent_.emplace(context_.body_of(name), SentOnce{.verb = verb});
  return name;
}

void SendCalls::count_sent(Client& through) {
  for (;;) {
    const auto deliveries = must(through.receive(context_.queue, {.max = 100, .lease = kLease}));
    if (deliveries.empty()) return;
    for (const Delivery& delivery : deliveries) put_away(through, delivery);
  }
}

void SendCalls::put_away(Client& through, const Delivery& delivery) {
  const auto found = sent_.find(std::string(delivery.body));
  if (found != sent_.end()) ++found->second.times;
  must(through.ack(delivery.receipt));
}

void SendCalls::send() {
  const std::string name = next_sent("send");
  sent(name, context_.client.send(context_.queue, {.body = context_.body_of(name)}));
}

void SendCalls::send_batch() {
  const std::string name = next_sent("send_batch");
  auto results =
      context_.client.send_batch(context_.queue, {{.body = context_.body_of(name)}}, {.request_id = name});
  if (results) return sent(name, (*results)[0]);
  sent(name, results);
}

void SendCalls::send_buffered() {
  const std::string name = next_sent("buffered send");
  auto sender = must(
      BufferedSender::make(context_.client, {.queue = context_.queue, .linger = 0ms, .give_up_after = 2s}));
  sent(name, sender.send({.body = context_.body_of(name)}).get());
}

void SendCalls::send_crowd() {
  std::vector<std::pair<std::string, std::future<Result<Sent>>>> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) {
    const std::string name = next_sent("send in a crowd");
    const auto answer = std::make_shared<std::promise<Result<Sent>>>();
    crowd.emplace_back(name, answer->get_future());
    context_.client.async_call(
        [&](auto& verbs) { return verbs.send(context_.queue, {.body = context_.body_of(name)}); },
        [answer](Result<Sent> result) { answer->set_value(std::move(result)); });
    const Peace::Kept peace(context_.site.peace());
    context_.connected_owner();  // by its answer the server has taken the send on, before the next send comes
  }
  for (auto& [name, answer] : crowd) {
    while (answer.wait_for(0s) != std::future_status::ready) crowd_out();
    sent(name, answer.get());
  }
}

void SendCalls::crowd_out() {
  const Peace::Kept peace(context_.site.peace());
  (void)context_.connected_owner().send(context_.received, {.body = context_.body_of("")});
}

void SendCalls::look_at_what_is_left() {
  const Peace::Kept peace(context_.site.peace());
  count_sent(context_.connected_owner());
  for (const auto& [body, sent] : sent_) context_.ledger.note_again(sent.verb, body, sent.result, sent.times);
}

}  // namespace holdfast::testing
