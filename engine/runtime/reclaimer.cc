#include "runtime/reclaimer.h"

#include <algorithm>

#include "codec/keys.h"

namespace holdfast {
namespace {

// Those that grow with the messages.
constexpr Family kFamilies[] = {Family::kMessages, Family::kDeadLetters};

}  // namespace

void Reclaimer::consider(QueueId queue, Seq begin, Seq head) {
  std::uint64_t garbage = 0;
  for (const Family family : kFamilies) {
    garbage += store_.approximate_bytes(family, keys::queue_seq(queue, begin), keys::queue_seq(queue, head));
  }
  if (garbage >= kGarbageBytes) compact_range(queue, begin, head);
}

void Reclaimer::compact_range(QueueId queue, Seq begin, Seq end) {
  if (!threaded_) return compact({queue, begin, end});
  const std::scoped_lock lock(mutex_);
  if (stopping_) return;
  const auto waiting = std::ranges::find_if(
      requests_, [&](const Request& request) { return request.queue == queue && request.begin == begin; });
  if (waiting != requests_.end()) {
    waiting->end = std::max(waiting->end, end);
  } else {
    requests_.push_back({queue, begin, end});
  }
  if (!thread_.joinable()) thread_ = std::thread(&Reclaimer::run, this);
  wake_.notify_one();
}

// A failure is the store's to remember: it stops at the next commit.
void Reclaimer::compact(const Request& request) {
  for (const Family family : kFamilies) {
    (void)store_.compact(family, keys::queue_seq(request.queue, request.begin),
                         keys::queue_seq(request.queue, request.end), &stopping_);
  }
}

void Reclaimer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !requests_.empty(); });
    if (stopping_) return;
    const Request request = requests_.front();
    requests_.pop_front();
    lock.unlock();
    compact(request);
    lock.lock();
  }
}

void Reclaimer::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace holdfast
