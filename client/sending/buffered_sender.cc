// BufferedSender checks its options and then leaves the work to BatchSender. Its future is a callback that
// fulfills a promise, so that every message takes the same way through the buffer.
#include "holdfast/buffered_sender.h"

#include <exception>
#include <limits>
#include <random>
#include <utility>

#include "client/common/option_checks.h"
#include "client/sending/batch_sender.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using client::check;

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

Result<void> validate(const BufferedSenderOptions& options) {
  if (options.queue.empty()) return fail(ErrorCode::kInvalidArgument, "queue is empty");
  if (auto ok = check("batch_messages", options.batch_messages, 1, limits::kBatchEntries); !ok) return ok;
  if (auto ok = check("batch_bytes", options.batch_bytes, 1, limits::kBatchBytes); !ok) return ok;
  if (auto ok = check("linger", options.linger, 0s, 1min); !ok) return ok;
  if (auto ok = check("buffer_messages", options.buffer_messages, 1, kAny); !ok) return ok;
  if (auto ok = check("buffer_bytes", options.buffer_bytes, 1, kAny); !ok) return ok;
  return check("give_up_after", options.give_up_after, 0s, limits::kRequestWindow);
}

}  // namespace

class BufferedSender::Impl : public client::BatchSender {
  using BatchSender::BatchSender;
};

Result<BufferedSender> BufferedSender::make(Broker& broker, BufferedSenderOptions options) {
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  try {
    auto send = [&broker, queue = options.queue](std::vector<Message> messages, const SendOptions& how) {
      return broker.send_batch(queue, std::move(messages), how);
    };
    auto impl = std::make_unique<Impl>(std::move(send), std::move(options), std::random_device()());
    return BufferedSender(std::move(impl));
  } catch (const std::exception& e) {  // no thread can be had
    return fail(ErrorCode::kUnavailable, std::string("cannot start the sender: ") + e.what());
  }
}

BufferedSender::BufferedSender(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BufferedSender::BufferedSender(BufferedSender&&) noexcept = default;
BufferedSender& BufferedSender::operator=(BufferedSender&&) noexcept = default;
BufferedSender::~BufferedSender() = default;

std::future<Result<Sent>> BufferedSender::send(Message message) {
  // The promise is shared, since a std::function must be copyable and a promise is not.
  auto promise = std::make_shared<std::promise<Result<Sent>>>();
  auto future = promise->get_future();
  send(std::move(message), [promise](Result<Sent> sent) { promise->set_value(std::move(sent)); });
  return future;
}

void BufferedSender::send(Message message, Callback done) { impl_->add(std::move(message), std::move(done)); }

Result<void> BufferedSender::try_send(Message message, Callback done) {
  return impl_->try_add(std::move(message), std::move(done));
}

void BufferedSender::flush() { impl_->flush(); }
void BufferedSender::close() { impl_->close(); }

}  // namespace holdfast
