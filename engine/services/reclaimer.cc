#include "engine/services/reclaimer.h"

#include <algorithm>
#include <utility>

#include "engine/codec/encoding/keys.h"

namespace holdfast {
namespace {

// These families grow with the messages.
constexpr Family kFamilies[] = {Family::kMessages, Family::kDeadLetters};
// A deleted or purged queue leaves much in these families.
constexpr Family kFamiliesOfQueues[] = {Family::kMessages, Family::kDeadLetters, Family::kScheduled,
                                        Family::kHistory,  Family::kJournal,     Family::kDedup};

}  // namespace

void Reclaimer::consider(QueueId queue, Seq begin, Seq head, std::uint64_t least) {
  std::uint64_t garbage = 0;
  for (const Family family : kFamilies) {
    garbage += store_.approximate_bytes(family, keys::queue_seq(queue, begin), keys::queue_seq(queue, head));
  }
  if (garbage >= least) compact_range(queue, begin, head);
}

void Reclaimer::consider_all(QueueId queue) {
  for (const Family family : kFamiliesOfQueues)
    consider_rows(family, keys::queue_begin(queue), keys::queue_end(queue));
}

void Reclaimer::consider_rows(Family family, std::string begin, std::string end) {
  if (store_.approximate_bytes(family, begin, end) >= kGarbageBytes)
    request({family, std::move(begin), std::move(end)});
}

void Reclaimer::compact_range(QueueId queue, Seq begin, Seq end) {
  for (const Family family : kFamilies)
    request({family, keys::queue_seq(queue, begin), keys::queue_seq(queue, end)});
}

void Reclaimer::request(ReclaimRequest request) {
  if (!threaded_) return compact(request);
  const sync::Lock lock(mutex_);
  if (stopping_) return;
  const auto waiting = std::ranges::find_if(requests_, [&](const ReclaimRequest& other) {
    return other.family == request.family && other.begin == request.begin;
  });
  if (waiting != requests_.end()) {
    waiting->end = std::max(waiting->end, request.end);
  } else {
    requests_.push_back(std::move(request));
  }
  start_thread();
  wake_.notify_one();
}

// If the system gives no thread, what was requested waits for the next request.
void Reclaimer::start_thread() {
  if (thread_.joinable()) return;
  if (auto thread = sync::Thread::start([this] { run(); })) thread_ = *std::move(thread);
}

// An error is not handled here: the store remembers it, and stops at the next commit.
void Reclaimer::compact(const ReclaimRequest& request) {
  (void)store_.compact(request.family, request.begin, request.end, &stopping_);
}

void Reclaimer::run() {
  sync::Lock lock(mutex_);
  for (;;) {
    while (!stopping_ && requests_.empty()) wake_.wait(lock);
    if (stopping_) return;
    const ReclaimRequest request = std::move(requests_.front());
    requests_.pop_front();
    lock.unlock();
    compact(request);
    lock.lock();
  }
}

void Reclaimer::stop() {
  sync::Thread thread;
  {
    const sync::Lock lock(mutex_);
    stopping_ = true;
    thread = std::move(thread_);
  }
  wake_.notify_all();
  if (thread.joinable()) thread.join();
}

}  // namespace holdfast
