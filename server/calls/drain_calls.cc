// Answers calls about a drain. A client that waits for news of it is served by looking again and again, since
// what is in flight changes without telling anybody. How long a look takes bounds how often there is one.
#include <algorithm>
#include <array>

#include "schema/convert/queues/operations_conversion.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"

namespace holdfast::server {
namespace {

using R = Result<DrainStatus>;
using Time = std::chrono::steady_clock::time_point;

// A call that waits looks this often, unless looking takes long: a look takes longer the more is in flight.
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr int kSeldom = 10;  // how many times longer than a look the pause after it is at least

// Returns what the call answers, and tells `peer` that its client knows it now.
R told_status(Peer& peer, const Drain& drain, const Result<void>& done) {
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

// Returns the status of the drain once it is news to a client that knows `before`, or at `until`.
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

kj::Promise<void> drain(Call<wire::DrainRequest, wire::DrainReply> call) {
  const auto options = read_request(call);
  if (!options) return answer_now<R>(call, tl::unexpected(options.error()));
  call->state().log.info(call->peer()
                             .line("drain wanted", call->logged())
                             .add("timeout", format_duration(options->timeout))
                             .add("exit", options->exit ? "yes" : "no")
                             .text());
  Drain& drain = call->state().all.drain;
  return answer_now(call, told_status(call->peer(), drain, drain.begin(*options, Drain::By::kClient)));
}

// A stop does not wait for the calls of a client that awaits the server's end.
kj::Promise<void> drain_status(Call<wire::DrainStatusRequest, wire::DrainReply> call) {
  const auto wait = read_request(call);
  if (!wait) return answer_now<R>(call, tl::unexpected(wait.error()));
  Result<std::unique_ptr<Peer::CountedPlace>> farewell;
  if (call->peer().awaits_end()) {
    farewell = call->peer().admit_farewell();
  } else if (auto ok = call->admit(); !ok) {
    return answer_now<R>(call, tl::unexpected(ok.error()));
  }
  if (!farewell) return answer_now<R>(call, tl::unexpected(farewell.error()));
  Drain& drain = call->state().all.drain;
  DrainStatus known = drain.status();
  known.over = known.over && call->peer().knows_that_drain_is_over();
  auto answered = next_status(call->state(), known, std::chrono::steady_clock::now() + *wait)
                      .then([call, &drain](const DrainStatus& now) {
                        call->peer().told(now);
                        const auto failure = drain.failure();
                        write_answer(call, failure ? R(tl::unexpected(*failure)) : R(now));
                      });
  auto let_go = kj::defer([peer = call->caller().shared_peer(), &drain] {
    if (drain.status().ended) peer->end_told();
  });
  return answered.attach(kj::mv(*farewell), kj::mv(let_go));
}

kj::Promise<void> resume(Call<wire::ResumeRequest, wire::DrainReply> call) {
  call->state().log.info(call->peer().line("resume wanted", call->logged()).text());
  Drain& drain = call->state().all.drain;
  return answer_now(call, told_status(call->peer(), drain, drain.resume()));
}

}  // namespace

std::span<const Method> drain_methods() {
  static const std::array methods = {
      method<drain>("drain", {Need::kAll, Right::kAdminister, Content::kNone}, {.admits_itself = true}),
      method<drain_status>("drainStatus", {Need::kAll, Right::kAdminister, Content::kNone},
                           {.may_be_given_up = true, .takes_long = true, .admits_itself = true}),
      method<resume>("resume", {Need::kAll, Right::kAdminister, Content::kNone}, {.admits_itself = true}),
  };
  return methods;
}

}  // namespace holdfast::server
