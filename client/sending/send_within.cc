#include "client/sending/send_within.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace holdfast::client {
namespace {

using Answers = Result<std::vector<Result<Sent>>>;

// Shared, since the callback may still be returning when the caller goes on.
struct Answered {
  std::mutex mutex;
  std::condition_variable came;
  std::optional<Answers> answers;
};

}  // namespace

Answers send_within(Client& client, std::string_view queue, std::vector<Message> messages,
                    const SendOptions& options, Duration within, const ClockWait& time) {
  const Timestamp end = time.now() + within;
  const auto answered = std::make_shared<Answered>();
  const auto token = client.async_call(
      [&](ClientVerbs& verbs) { return verbs.send_batch(queue, std::move(messages), options); },
      [answered](Answers answers) {
        const std::scoped_lock lock(answered->mutex);
        answered->answers = std::move(answers);
        answered->came.notify_one();
      });
  std::unique_lock lock(answered->mutex);
  while (!answered->answers && time.now() < end) time.until(end, answered->came, lock);
  if (!answered->answers) {
    lock.unlock();
    client.cancel_call(token);
    lock.lock();
    answered->came.wait(lock, [&] { return answered->answers.has_value(); });
  }
  Answers answers = *std::move(answered->answers);
  if (answers || answers.error().code != ErrorCode::kCancelled) return answers;
  return fail(ErrorCode::kUnavailable, "the time for this try ran out before the call could be sent");
}

}  // namespace holdfast::client
