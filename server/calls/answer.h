// How a call gets its answer. `R` is the Result that convert::write turns into the reply.
#pragma once

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "schema/convert/values/error.h"
#include "server/calls/call_log.h"

namespace holdfast::server {

// What most answers fit into, larger ones grow from: Cap'n Proto takes, and clears, 8 KiB for one of unknown
// size.
inline constexpr capnp::MessageSize kAnswerRoom{128, 0};

// Whether an answer may be given. One that shows what is stored can be large, so a client that does not read
// gets no further one; what a call has changed it is always told. kOverloaded, kClosed.
Result<void> admit_answer(const Peer& peer, const LoggedCall& request);

// Writes an answer.
template <class R, class Context>
void write_answer(Peer& peer, const LoggedCall& request, Context context, const R& result) {
  if constexpr (requires { result.error(); }) {
    const auto admitted = admit_answer(peer, request);
    if (result && !admitted) return write_answer<R>(peer, request, context, tl::unexpected(admitted.error()));
    if (!result) note_error(peer, request, result.error());
  }
  convert::write(result, context.getResults(kAnswerRoom));
}

// Answers at once.
template <class R, class Context>
kj::Promise<void> answer_now(Peer& peer, Context context, const R& result) {
  write_answer(peer, peer.request(), context, result);
  return kj::READY_NOW;
}

// Starts a call with `start(done)` and answers with the R that `done` is called with, on whatever thread;
// `note` sees it before. The request is gone once `start` has returned.
template <class R, class Context, class Start, class Note>
kj::Promise<void> answer(Peer& peer, Context context, std::size_t send_bytes, Start start, Note note) {
  auto ticket = peer.admit(send_bytes);
  if (!ticket) return answer_now<R>(peer, context, tl::unexpected(ticket.error()));
  auto started = peer.state().promises.template make<R>();
  start(started.done);
  context.releaseParams();
  auto finish = [&peer, request = peer.request(), context, note](const R& result) {
    note(result);
    write_answer(peer, request, context, result);
  };
  return started.promise.then(kj::mv(finish)).attach(kj::mv(*ticket));
}

template <class R, class Context, class Start>
kj::Promise<void> answer(Peer& peer, Context context, std::size_t send_bytes, Start start) {
  return answer<R>(peer, context, send_bytes, std::move(start), [](const R&) {});
}

// Answers with what `work()` gives, on a thread that may block.
template <class R, class Context, class Work>
kj::Promise<void> answer_blocking(Peer& peer, Context context, Work work) {
  return answer<R>(peer, context, 0, [&](auto done) {
    boost::asio::post(peer.state().blocking.get_executor(),
                      [work = std::move(work), done]() mutable { done(work()); });
  });
}

}  // namespace holdfast::server
