// This header calls any verb with Boost.Asio completion tokens. asio.h includes it, and says when operations
// complete. Each call runs as an Engine::async_call or Client::async_call and completes with what the verb
// gives (Broker). A call that did not begin completes with kClosed, kCancelled or, on an engine whose threads
// for such calls are all busy, kOverloaded.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/detail/asio_operation.h"
#include "holdfast/detail/verbs.h"

namespace holdfast {
namespace asio_detail {

// A Call may be cancelled. It lives from its start to its handler's call.
template <class B, class Value, class Handler>
class Call : public std::enable_shared_from_this<Call<B, Value, Handler>> {
 public:
  Call(B& broker, Handler handler)
      : broker_(broker), operation_(std::make_shared<Operation<Value, Handler>>(std::move(handler))) {}

  // `start(done)` gives the broker's token.
  template <class Start>
  void start(Start start) {
    if (auto slot = operation_->cancellation_slot(); slot.is_connected()) {
      slot.assign([weak = this->weak_from_this()](boost::asio::cancellation_type) {
        if (const auto self = weak.lock()) self->cancel();
      });
    }
    const auto token =
        start([self = this->shared_from_this()](Value value) { self->complete(std::move(value)); });
    {
      const std::scoped_lock lock(mutex_);
      token_ = token;
      if (!cancelled_) return;
    }
    broker_.cancel_call(token);
  }

 private:
  void cancel() {
    std::optional<typename B::CallToken> token;
    {
      const std::scoped_lock lock(mutex_);
      cancelled_ = true;
      token = token_;
    }
    if (token) broker_.cancel_call(*token);
  }

  // Calls the handler on the executor, where cancellation comes from too: after this there is none.
  void complete(Value value) {
    boost::asio::post(operation_->executor(),
                      [self = this->shared_from_this(), value = std::move(value)]() mutable {
                        if (auto slot = self->operation_->cancellation_slot(); slot.is_connected())
                          slot.clear();
                        self->operation_->call(std::move(value));
                      });
  }

  B& broker_;
  std::shared_ptr<Operation<Value, Handler>> operation_;
  std::mutex mutex_;
  std::optional<typename B::CallToken> token_;
  bool cancelled_ = false;
};

template <class Value, class B, class Token, class Start>
auto initiate_call(B& broker, Token&& token, Start start) {
  return boost::asio::async_initiate<Token, void(Value)>(
      [&broker, start = std::move(start)](auto handler) mutable {
        using Handler = decltype(handler);
        std::make_shared<Call<B, Value, Handler>>(broker, std::move(handler))->start(std::move(start));
      },
      token);
}

// Completion::Value is what a verb gives: it is called with an engine itself, or with a client's ClientVerbs.
template <class B, class Verb>
struct Completion {
  using Value = std::invoke_result_t<Verb&, B&>;
};
template <class B, class Verb>
requires requires { typename B::Verbs; }
struct Completion<B, Verb> {
  using Value = typename std::invoke_result_t<Verb&, typename B::Verbs&>::Value;
};

// Starts the call that Engine::async_call and Client::async_call describe.
template <class B, class Verb, class Token>
auto initiate_verb(B& broker, Verb verb, Token&& token) {
  using Value = typename Completion<B, Verb>::Value;
  return initiate_call<Value>(broker, std::forward<Token>(token),
                              [&broker, verb = std::move(verb)](auto done) mutable {
                                return broker.async_call(std::move(verb), std::move(done));
                              });
}

template <class P>
struct OwnedValue {
  using Type = std::remove_cvref_t<P>;
};
template <>
struct OwnedValue<std::string_view> {
  using Type = std::string;
};
template <class T>
struct OwnedValue<std::span<const T>> {
  using Type = std::vector<T>;
};
// An Owned holds a parameter of a verb until the call is made.
template <class P>
using Owned = typename OwnedValue<P>::Type;

template <auto verb, class Member = decltype(verb)>
struct VerbCall;
template <auto verb, class R, class C, class... P>
struct VerbCall<verb, R (C::*)(P...)> {
  template <class B, class Token>
  static auto start(B& broker, Owned<P>... arguments, Token&& token) {
    auto call = [held = std::tuple<Owned<P>...>(std::move(arguments)...)](auto& used) mutable {
      using Form = detail::FormOf<std::remove_reference_t<decltype(used)>, verb>;
      const auto make = [&used](Owned<P>&... each) {
        return (used.*Form::kFunction)(static_cast<P>(std::move(each))...);
      };
      return std::apply(make, held);
    };
    return initiate_verb(broker, std::move(call), std::forward<Token>(token));
  }
};

}  // namespace asio_detail

// Calls any verb and completes with what `verb(broker)` gives. On an engine `verb` may make several calls
// (Engine::async_call), on a client it makes one (Client::async_call).
//
//   auto infos = co_await async_call(broker, [](auto& broker) { return broker.list_queues(); },
//   use_awaitable);
template <AsyncBroker B, class Verb, class Token>
auto async_call(B& broker, Verb verb, Token&& token) {
  return asio_detail::initiate_verb(broker, std::move(verb), std::forward<Token>(token));
}

// Calls a verb of Broker and completes with what it gives. All of its arguments are given, and copied or
// moved into the call; the token comes after them. For redrive see async_redrive, which can be
// cancelled while it runs.
//
//   auto page = co_await async_call<&Broker::list_dead_letters>(broker, "dlq", options, use_awaitable);
template <auto verb, AsyncBroker B, class... ArgumentsAndToken>
auto async_call(B& broker, ArgumentsAndToken&&... given) {
  return asio_detail::VerbCall<verb>::start(broker, std::forward<ArgumentsAndToken>(given)...);
}

// Completes with Result<Redriven>.
template <AsyncBroker B, class Token>
auto async_redrive(B& broker, std::string queue, RedriveOptions options, Token&& token) {
  return asio_detail::initiate_call<Result<Redriven>>(
      broker, std::forward<Token>(token),
      [&broker, queue = std::move(queue), options = std::move(options)](auto done) mutable {
        return broker.async_redrive(queue, std::move(options), std::move(done));
      });
}

}  // namespace holdfast
