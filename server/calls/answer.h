// Answers calls. `R` is the Result that convert::write turns into the reply.
#pragma once

#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "server/calls/call.h"
#include "server/calls/conversions.h"

namespace holdfast::server {

// kAnswerRoom is the room that most answers fit into; larger ones grow. Cap'n Proto allocates, and clears,
// 8 KiB for an answer of unknown size.
inline constexpr capnp::MessageSize kAnswerRoom{128, 0};

// Checks whether an answer may be given. One that shows what is stored can be large, so a client that does
// not read gets no further such answer. The outcome of a change is always told. kOverloaded, kClosed.
Result<void> admit_answer(const AnyCall& call);

// Counts and logs an error that answers the call (see call_log.h).
void note_error(const AnyCall& call, const Error& error);

// Writes an answer.
template <class R, class Params, class Reply>
void write_answer(Call<Params, Reply> call, const R& result) {
  if constexpr (requires { result.error(); }) {
    const auto admitted = admit_answer(*call);
    if (result && !admitted) return write_answer<R>(call, tl::unexpected(admitted.error()));
    if (!result) note_error(*call, result.error());
  }
  convert::write(result, call.reply(kAnswerRoom));
}

// Answers at once.
template <class R, class Params, class Reply>
kj::Promise<void> answer_now(Call<Params, Reply> call, const R& result) {
  write_answer(call, result);
  return kj::READY_NOW;
}

// Starts a call with `start(done)`, and answers with the R that `done` is called with, on any thread. `note`
// sees the result first. The parameters are gone once `start` has returned.
template <class R, class Params, class Reply, class Start, class Note>
kj::Promise<void> answer(Call<Params, Reply> call, Start start, Note note) {
  auto started = call->state().promises.template make<R>();
  start(started.done);
  call->release_params();
  auto finish = [call, note](const R& result) {
    note(result);
    write_answer(call, result);
  };
  return started.promise.then(kj::mv(finish));
}

template <class R, class Params, class Reply, class Start>
kj::Promise<void> answer(Call<Params, Reply> call, Start start) {
  return answer<R>(call, std::move(start), [](const R&) {});
}

// Answers with the result of `work()`, which runs on a thread of the pool.
template <class R, class Params, class Reply, class Work>
kj::Promise<void> answer_on(BlockingPool& pool, Call<Params, Reply> call, Work work) {
  return answer<R>(call, [&](auto done) {
    boost::asio::post(pool.get_executor(), [work = std::move(work), done]() mutable { done(work()); });
  });
}

// Answers with the result of `work()`, which runs on a thread that may block.
template <class R, class Params, class Reply, class Work>
kj::Promise<void> answer_blocking(Call<Params, Reply> call, Work work) {
  return answer_on<R>(call->state().blocking, call, std::move(work));
}

// Answers with the result of `work()`, which may take minutes. Other calls of this kind may wait for it, and
// no calls of another kind do.
template <class R, class Params, class Reply, class Work>
kj::Promise<void> answer_lengthy(Call<Params, Reply> call, Work work) {
  return answer_on<R>(call->state().all.lengthy, call, std::move(work));
}

}  // namespace holdfast::server
