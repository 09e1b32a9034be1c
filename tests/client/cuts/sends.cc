// Sends, and what they left: each body once if its send succeeded.
#include <future>
#include <utility>

#include "holdfast/buffered_sender.h"
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {
namespace {

constexpr std::size_t kCrowd = 8;

}  // namespace

using namespace std::chrono_literals;

std::string Caller::next_sent(const std::string& verb) {
  const std::string name = next_name();
  sent_.emplace(body_of(name), SentOnce{.verb = verb});
  return name;
}

void Caller::count_sent(Client& through) {
  for (;;) {
    const auto deliveries = must(through.receive(queue_, {.max = 100, .lease = kLease}));
    if (deliveries.empty()) return;
    for (const Delivery& delivery : deliveries) put_away(through, delivery);
  }
}

void Caller::put_away(Client& through, const Delivery& delivery) {
  const auto found = sent_.find(std::string(delivery.body));
  if (found != sent_.end()) ++found->second.times;
  must(through.ack(delivery.receipt));
}

void Caller::send() {
  const std::string name = next_sent("send");
  sent(name, client_.send(queue_, {.body = body_of(name)}));
}

void Caller::send_batch() {
  const std::string name = next_sent("send_batch");
  auto results = client_.send_batch(queue_, {{.body = body_of(name)}}, {.request_id = name});
  if (results) return sent(name, (*results)[0]);
  sent(name, results);
}

void Caller::send_buffered() {
  const std::string name = next_sent("buffered send");
  auto sender = must(BufferedSender::make(client_, {.queue = queue_, .linger = 0ms, .give_up_after = 2s}));
  sent(name, sender.send({.body = body_of(name)}).get());
}

void Caller::send_crowd() {
  std::vector<std::pair<std::string, std::future<Result<Sent>>>> crowd;
  for (std::size_t i = 0; i < kCrowd; ++i) {
    const std::string name = next_sent("send in a crowd");
    const auto answer = std::make_shared<std::promise<Result<Sent>>>();
    crowd.emplace_back(name, answer->get_future());
    client_.async_call([&](auto& verbs) { return verbs.send(queue_, {.body = body_of(name)}); },
                       [answer](Result<Sent> result) { answer->set_value(std::move(result)); });
    const Peace::Kept peace(site_.peace());
    owner();  // by its answer the server has taken the send on, before the next send comes
  }
  for (auto& [name, answer] : crowd) {
    while (answer.wait_for(0s) != std::future_status::ready) crowd_out();
    sent(name, answer.get());
  }
}

void Caller::crowd_out() {
  const Peace::Kept peace(site_.peace());
  (void)owner().send(received_, {.body = body_of("")});
}

}  // namespace holdfast::testing
