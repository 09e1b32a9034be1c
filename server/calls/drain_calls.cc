#include <algorithm>

#include "convert/operations.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

using R = Result<DrainStatus>;
using Time = std::chrono::steady_clock::time_point;

// How often a call that waits looks, if that does not take long: it takes time with what is in hand.
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr int kSeldom = 10;  // times what a look takes

// A call may be begun when its connection has gone: nobody is told then, nor will ask again.
void tell(const Peer& peer, Drain& drain, const DrainStatus& status) {
  if (peer.is_connected()) drain.told(&peer, status);
}

// What `peer` is told.
R status(const Peer& peer, Drain& drain, const Result<void>& done) {
  if (!done) return tl::unexpected(done.error());
  const DrainStatus status = drain.status();
  tell(peer, drain, status);
  return status;
}

bool is_news(const DrainStatus& status, const DrainStatus& before) {
  return status.over || status.draining != before.draining || status.in_hand != before.in_hand;
}

kj::Promise<DrainStatus> next_status(State& state, DrainStatus before, Time until) {
  const Time begin = std::chrono::steady_clock::now();
  const DrainStatus now = state.all.drain.status();
  const Time end = std::chrono::steady_clock::now();
  if (is_news(now, before) || state.stopping || end >= until) return now;
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

kj::Promise<void> BrokerService::drainStatus(DrainStatusContext context) {
  const auto wait = convert::read(context.getParams());
  if (!wait) return answer_now<R>(*peer_, context, tl::unexpected(wait.error()));
  auto ticket = peer_->admit(0);
  if (!ticket) return answer_now<R>(*peer_, context, tl::unexpected(ticket.error()));
  context.allowCancellation();
  auto changed = next_status(state_, state_.all.drain.status(), std::chrono::steady_clock::now() + *wait);
  return changed
      .then([this, request = peer_->request(), context](const DrainStatus& now) {
        tell(*peer_, state_.all.drain, now);
        write_answer(*peer_, request, context, R(now));
      })
      .attach(kj::mv(*ticket));
}

kj::Promise<void> BrokerService::resume(ResumeContext context) {
  state_.log.info(peer_->line("resume wanted", peer_->request()).text());
  Drain& drain = state_.all.drain;
  return answer_now(*peer_, context, status(*peer_, drain, drain.resume()));
}

}  // namespace holdfast::server
