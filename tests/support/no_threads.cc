#include "tests/support/no_threads.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace holdfast::testing {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

std::atomic<std::size_t>& left() {
  static std::atomic<std::size_t> threads = kAny;
  return threads;
}

// Takes one of the threads that may be started. Returns false if there is none.
bool take_one() {
  for (std::size_t threads = left(); threads != kAny;) {
    if (threads == 0) return false;
    if (left().compare_exchange_weak(threads, threads - 1)) return true;
  }
  return true;
}

}  // namespace

NoThreads::NoThreads(std::size_t first) { left() = first; }
NoThreads::~NoThreads() { left() = kAny; }

}  // namespace holdfast::testing

// This function replaces the C library's for all of the process.
// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library has names of its own.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (!holdfast::testing::take_one()) return EAGAIN;
  return create(thread, attributes, start, argument);
}
