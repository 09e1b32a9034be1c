#include <algorithm>

#include "schema/convert/queues/operations.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

using R = Result<DrainStatus>;
using Time = std::chrono::steady_clock::time_point;

// How often a call that waits looks, if that does not take long: it takes time with what is in flight.
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr int kSeldom = 10;  // times what a look takes

// What `peer` is told.
R status(Peer& peer, const Drain& drain, const Result<void>& done) {
  if (!done) return tl::unexpected(done.error());
  const DrainStatus status = drain.status();
  peer.told(status);
  return status;
}

bool is_news(const DrainStatus& status, const DrainStatus& before) {
  const bool is_over = status.over && !(before.over && status.exits);
  return is_over || status.ended || status.draining != before.draining || status.exits != before.exits ||
         status.in_flight != before.in_flight;
}

// What is the case once it is news to somebody who knows of `before`.
kj::Promise<DrainStatus> next_status(State& state, DrainStatus before, Time until) {
  const Time begin = std::chrono::steady_clock::now();
  const DrainStatus now = state.all.drain.status();
  const Time end = std::chrono::steady_clock::now();
  if (is_news(now, before) || end >= until) return now;
  const auto pause = std::max<Time::duration>(kLookEvery, kSeldom * (end - begin));
  return state.port.after(std::chrono::ceil<Duration>(pause)).then([&state, before, until] {
    return next_status(state, before, until);
  });
}

}  // namespace

kj::Promise<void> BrokerService::drain(DrainContext context) {
  const auto options = convert::read(context.getParams());
  if (!options) return answer_now<R>(*peer_, context, tl::unexpected(options.error()));
  state_.log.info(peer_->line("drain wanted", peer_->request())
                      .add("timeout", format_duration(options->timeout))
                      .add("exit", options->exit ? "yes" : "no")
                      .text());
  Drain& drain = state_.all.drain;
  return answer_now(*peer_, context, status(*peer_, drain, drain.begin(*options, Drain::By::kClient)));
}

// Of who awaits the server's end no stop waits for the calls.
kj::Promise<void> BrokerService::drainStatus(DrainStatusContext context) {
  const auto wait = convert::read(context.getParams());
  if (!wait) return answer_now<R>(*peer_, context, tl::unexpected(wait.error()));
  Result<std::unique_ptr<Peer::CountedPlace>> place;
  Result<std::unique_ptr<Peer::Ticket>> ticket;
  if (peer_->awaits_end()) {
    place = peer_->admit_farewell();
  } else {
    ticket = peer_->admit(0);
  }
  if (!place) return answer_now<R>(*peer_, context, tl::unexpected(place.error()));
  if (!ticket) return answer_now<R>(*peer_, context, tl::unexpected(ticket.error()));
  Drain& drain = state_.all.drain;
  DrainStatus known = drain.status();
  known.over = known.over && peer_->knows_that_drain_is_over();
  auto answered =
      next_status(state_, known, std::chrono::steady_clock::now() + *wait)
          .then([this, &drain, request = peer_->request(), context](const DrainStatus& now) {
            peer_->told(now);
            const auto failure = drain.failure();
            write_answer(*peer_, request, context, failure ? R(tl::unexpected(*failure)) : R(now));
          });
  auto let_go = kj::defer([peer = peer_, &drain] {
    if (drain.status().ended) peer->end_told();
  });
  return answered.attach(kj::mv(*ticket), kj::mv(*place), kj::mv(let_go));
}

kj::Promise<void> BrokerService::resume(ResumeContext context) {
  state_.log.info(peer_->line("resume wanted", peer_->request()).text());
  Drain& drain = state_.all.drain;
  return answer_now(*peer_, context, status(*peer_, drain, drain.resume()));
}

}  // namespace holdfast::server
