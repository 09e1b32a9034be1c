#include "client/sending/batch_sender.h"

#include <algorithm>
#include <utility>

#include "client/common/is_retryable.h"
#include "holdfast/limits.h"

namespace holdfast::client {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPause = 50ms;
constexpr Duration kPauseMax = 5s;

const Error kClosedError{ErrorCode::kClosed, "the sender is closed"};

}  // namespace

BatchSender::BatchSender(Send send, BufferedSenderOptions options, std::uint64_t seed)
    : send_(std::move(send)),
      options_(std::move(options)),
      time_(options_.clock),
      backoff_(kPause, kPauseMax, seed),
      thread_([this] { run(); }) {}

void BatchSender::add(Message message, BufferedSender::Callback done) {
  sync::Lock lock(mutex_);
  while (!closing_ && !buffer_.has_room(message)) answered_.wait(lock);
  if (closing_) {
    lock.unlock();
    return done(tl::unexpected(kClosedError));
  }
  buffer_.add({std::move(message), std::move(done)}, time_.now());
  leaving_.notify_one();
}

Result<void> BatchSender::try_add(Message message, BufferedSender::Callback done) {
  const sync::Lock lock(mutex_);
  if (closing_) return tl::unexpected(kClosedError);
  if (!buffer_.has_room(message)) return fail(ErrorCode::kOverloaded, "the buffer is full");
  buffer_.add({std::move(message), std::move(done)}, time_.now());
  leaving_.notify_one();
  return {};
}

void BatchSender::flush() {
  sync::Lock lock(mutex_);
  const std::uint64_t so_far = buffer_.flush();
  leaving_.notify_one();
  while (buffer_.answered() < so_far) answered_.wait(lock);
}

void BatchSender::close() {
  {
    const sync::Lock lock(mutex_);
    closing_ = true;
    leaving_.notify_one();
    answered_.notify_all();
  }
  flush();
  const sync::Lock lock(joining_);
  if (thread_.joinable()) thread_.join();
}

void BatchSender::run() {
  sync::Lock lock(mutex_);
  while (wait_for_batch(lock)) {
    const SendBatch batch = buffer_.take();
    lock.unlock();
    answer(batch, deliver(batch.messages));
    lock.lock();
    buffer_.release(batch);
    answered_.notify_all();
  }
}

bool BatchSender::wait_for_batch(sync::Lock& lock) {
  for (;;) {
    if (buffer_.empty()) {
      if (closing_) return false;
      leaving_.wait(lock);
    } else if (buffer_.due() <= time_.now()) {
      return true;
    } else {
      time_.until(buffer_.due(), leaving_, lock);
    }
  }
}

// A try must not go out under an id that the broker may have forgotten: it would be taken for a new batch. So
// each is bounded by what is left of the window since the first began.
BatchResult<Sent> BatchSender::deliver(const std::vector<Message>& messages) {
  SendOptions options{.durability = options_.durability, .request_id = request_ids_.next()};
  const Timestamp first = time_.now();
  Duration longest{};     // of the tries
  bool in_doubt = false;  // an earlier try may have had its effect
  backoff_.reset();
  for (;;) {
    const Timestamp started = time_.now();
    options.within = limits::kRequestWindow - (started - first);
    BatchResult<Sent> answers = send_(messages, options);
    if (answers || (in_doubt && answers_repetition(answers.error().code))) return answers;
    const Timestamp now = time_.now();
    longest = std::max(longest, now - started);
    const Duration next = backoff_.next();
    const bool too_late = now - first + next + longest > limits::kRequestWindow;
    Error& error = answers.error();
    in_doubt = in_doubt || error.code == ErrorCode::kOutcomeUnknown;
    // Other refusals say nothing about an earlier try. A broker that is closed stays closed.
    const bool goes_on = in_doubt ? error.code != ErrorCode::kClosed : is_retryable(error.code);
    if (!goes_on || too_late || now - first >= options_.give_up_after) {
      if (in_doubt) error.code = ErrorCode::kOutcomeUnknown;
      return answers;
    }
    pause(next);
  }
}

void BatchSender::pause(Duration pause) {
  sync::Lock lock(mutex_);
  const Timestamp end = time_.now() + pause;
  while (time_.now() < end) time_.until(end, leaving_, lock);
}

void BatchSender::answer(const SendBatch& batch, const BatchResult<Sent>& answers) {
  for (std::size_t i = 0; i < batch.done.size(); ++i) {
    batch.done[i](answers ? (*answers)[i] : tl::unexpected(answers.error()));
  }
}

}  // namespace holdfast::client
