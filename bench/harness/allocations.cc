#include "bench/harness/allocations.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

// A Shard is the counter of one thread. The numbers of threads are reused after kShards threads. Two threads
// with the same number may lose a count now and then; that is cheaper than a locked instruction in every
// allocation that is measured.
struct alignas(64) Shard {
  std::atomic<std::uint64_t> count{0};
};
constexpr unsigned kShards = 1024;
constinit std::array<Shard, kShards> shards{};
constinit std::atomic<unsigned> next_thread{0};
constinit thread_local unsigned thread_shard = kShards;  // kShards: the thread has no number yet

void count_one() {
  if (thread_shard == kShards) thread_shard = next_thread.fetch_add(1, std::memory_order_relaxed) % kShards;
  auto& count = shards[thread_shard].count;
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

namespace holdfast::bench {

std::uint64_t allocation_count() {
  std::uint64_t total = 0;
  for (const auto& shard : shards) total += shard.count.load(std::memory_order_relaxed);
  return total;
}

}  // namespace holdfast::bench

// The array and nothrow forms of the library call these operators. They live in the executable, so that
// shared libraries use them too.
void* operator new(std::size_t size) {
  count_one();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  count_one();
  const auto align = static_cast<std::size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (size + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
