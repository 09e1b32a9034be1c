// Coroutines in tests.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <utility>

namespace holdfast::testing {

// Runs a coroutine to its end on this thread. Throws what it threw.
template <class Coroutine>
void run_to_end(boost::asio::io_context& context, Coroutine coroutine) {
  std::exception_ptr failure;
  boost::asio::co_spawn(context, std::move(coroutine), [&](std::exception_ptr thrown) { failure = thrown; });
  context.run();
  context.restart();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace holdfast::testing
