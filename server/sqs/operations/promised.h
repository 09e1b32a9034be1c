// Chains calls, each of which is made only if the one before it succeeded.
#pragma once

#include <kj/async.h>

#include <type_traits>
#include <utility>

#include "server/sqs/format/fault.h"

namespace holdfast::server::sqs {

template <class T>
using Promised = kj::Promise<Outcome<T>>;

template <class T>
struct PromisedValue;
template <class T>
struct PromisedValue<Outcome<T>> {
  using Type = T;
};
template <class T>
struct PromisedValue<kj::Promise<Outcome<T>>> {
  using Type = T;
};

// Calls `next` with what the call returned. `next` returns an Outcome or a Promised of its own. If the call
// failed, `next` is not called and the fault is passed on.
template <class T, class Next>
auto then_if_good(Promised<T> call, Next next) {
  using Given = typename PromisedValue<std::invoke_result_t<Next, T&&>>::Type;
  return call.then([next = std::move(next)](Outcome<T> outcome) mutable -> Promised<Given> {
    if (!outcome) return Outcome<Given>(tl::unexpected(std::move(outcome.error())));
    return next(*std::move(outcome));
  });
}

template <class T>
Promised<T> fail_with(Fault fault) {
  return Outcome<T>(tl::unexpected(std::move(fault)));
}

// Done is the value of calls that return nothing.
struct Done {};

}  // namespace holdfast::server::sqs
