// The verbs beside messages (queues, dead letters, redrive, operations) with Boost.Asio completion tokens;
// included by asio.h, which says when operations complete. Each runs as an Engine::async_call or
// Client::async_call and completes with what the verb of the same name gives (Broker), or with kClosed,
// kCancelled or, since an engine's verbs block one of a few threads, kOverloaded if it did not begin.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/detail/asio_operation.h"

namespace holdfast {
namespace asio_detail {

// A call that may be cancelled, from its start to its handler's call.
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

  // On the executor, where cancellation comes from too: after this there is none.
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

// What a verb gives: an engine is called itself, a client its ClientVerbs.
template <class B, class Verb>
struct Completion {
  using Value = std::invoke_result_t<Verb&, B&>;
};
template <class B, class Verb>
requires requires { typename B::Verbs; }
struct Completion<B, Verb> {
  using Value = typename std::invoke_result_t<Verb&, typename B::Verbs&>::Value;
};

}  // namespace asio_detail

// Any verb: completes with what `verb(broker)` gives. See Engine::async_call (where it may be several) and
// Client::async_call.
//
//   auto infos = co_await async_call(broker, [](auto& broker) { return broker.list_queues(); },
//   use_awaitable);
template <AsyncBroker B, class Verb, class Token>
auto async_call(B& broker, Verb verb, Token&& token) {
  using Value = typename asio_detail::Completion<B, Verb>::Value;
  return asio_detail::initiate_call<Value>(broker, std::forward<Token>(token),
                                           [&broker, verb = std::move(verb)](auto done) mutable {
                                             return broker.async_call(std::move(verb), std::move(done));
                                           });
}

// These two complete with Result<Redriven>.
template <AsyncBroker B, class Token>
auto async_redrive(B& broker, std::string queue, RedriveOptions options, Token&& token) {
  return asio_detail::initiate_call<Result<Redriven>>(
      broker, std::forward<Token>(token),
      [&broker, queue = std::move(queue), options = std::move(options)](auto done) mutable {
        return broker.async_redrive(queue, std::move(options), std::move(done));
      });
}

template <AsyncBroker B, class Token>
auto async_park(B& broker, std::string queue, RedriveOptions options, Token&& token) {
  return asio_detail::initiate_call<Result<Redriven>>(
      broker, std::forward<Token>(token),
      [&broker, queue = std::move(queue), options = std::move(options)](auto done) mutable {
        return broker.async_park(queue, std::move(options), std::move(done));
      });
}

// These complete with what the verb without async_ gives.
template <AsyncBroker B, class Token>
auto async_create_queue(B& broker, std::string name, QueueOptions options, Token&& token) {
  return async_call(
      broker,
      [name = std::move(name), options = std::move(options)](auto& used) mutable {
        return used.create_queue(name, std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_alter_queue(B& broker, std::string name, QueueChanges changes, Token&& token) {
  return async_call(
      broker,
      [name = std::move(name), changes = std::move(changes)](auto& used) mutable {
        return used.alter_queue(name, std::move(changes));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_pause_queue(B& broker, std::string name, Pause what, Token&& token) {
  return async_call(
      broker, [name = std::move(name), what](auto& used) mutable { return used.pause_queue(name, what); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_resume_queue(B& broker, std::string name, Pause what, Token&& token) {
  return async_call(
      broker, [name = std::move(name), what](auto& used) mutable { return used.resume_queue(name, what); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_delete_queue(B& broker, std::string name, Token&& token) {
  return async_call(
      broker, [name = std::move(name)](auto& used) mutable { return used.delete_queue(name); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_purge_queue(B& broker, std::string name, Token&& token) {
  return async_call(
      broker, [name = std::move(name)](auto& used) mutable { return used.purge_queue(name); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_describe_queue(B& broker, std::string name, Token&& token) {
  return async_call(
      broker, [name = std::move(name)](auto& used) mutable { return used.describe_queue(name); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_list_queues(B& broker, Token&& token) {
  return async_call(
      broker, [](auto& used) { return used.list_queues(); }, std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_peek(B& broker, std::string queue, PeekOptions options, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options = std::move(options)](auto& used) mutable {
        return used.peek(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_list_dead_letters(B& broker, std::string queue, ListDeadLettersOptions options, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options = std::move(options)](auto& used) mutable {
        return used.list_dead_letters(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_find_dead_letters(B& broker, FindDeadLettersOptions options, Token&& token) {
  return async_call(
      broker,
      [options = std::move(options)](auto& used) mutable {
        return used.find_dead_letters(std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_group_dead_letters(B& broker, std::string queue, GroupDeadLettersOptions options, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options = std::move(options)](auto& used) mutable {
        return used.group_dead_letters(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_dead_letter_statistics(B& broker, std::string queue, DeadLetterStatisticsOptions options,
                                  Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options](auto& used) { return used.dead_letter_statistics(queue, options); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_change_dead_letters(B& broker, std::string queue, DeadLetterSelection selection,
                               DeadLetterChanges changes, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), selection = std::move(selection),
       changes = std::move(changes)](auto& used) mutable {
        return used.change_dead_letters(queue, std::move(selection), std::move(changes));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_discard_dead_letters(B& broker, std::string queue, DeadLetterSelection selection, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), selection = std::move(selection)](auto& used) mutable {
        return used.discard_dead_letters(queue, std::move(selection));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_import_dead_letters(B& broker, std::string queue, std::vector<DeadLetter> letters, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), letters = std::move(letters)](auto& used) mutable {
        return used.import_dead_letters(queue, std::move(letters));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_start_redrive(B& broker, std::string queue, RedriveOptions options, Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options = std::move(options)](auto& used) mutable {
        return used.start_redrive(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_redrive_status(B& broker, TaskId id, Token&& token) {
  return async_call(
      broker, [id](auto& used) { return used.redrive_status(id); }, std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_list_redrives(B& broker, Token&& token) {
  return async_call(
      broker, [](auto& used) { return used.list_redrives(); }, std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_cancel_redrive(B& broker, TaskId id, std::string actor, Token&& token) {
  return async_call(
      broker,
      [id, actor = std::move(actor)](auto& used) mutable {
        return used.cancel_redrive(id, std::move(actor));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_preview_redrive(B& broker, std::string queue, RedriveOptions options, Redaction redact,
                           Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options = std::move(options), redact = std::move(redact)](
          auto& used) mutable { return used.preview_redrive(queue, std::move(options), std::move(redact)); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_preview_park(B& broker, std::string queue, RedriveOptions options, Redaction redact,
                        Token&& token) {
  return async_call(
      broker,
      [queue = std::move(queue), options = std::move(options), redact = std::move(redact)](
          auto& used) mutable { return used.preview_park(queue, std::move(options), std::move(redact)); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_message_history(B& broker, const MessageId& id, Token&& token) {
  return async_call(
      broker, [id](auto& used) { return used.message_history(id); }, std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_backup(B& broker, std::filesystem::path directory, BackupOptions options, Token&& token) {
  return async_call(
      broker,
      [directory = std::move(directory), options = std::move(options)](auto& used) mutable {
        return used.backup(directory, std::move(options));
      },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_statistics(B& broker, Token&& token) {
  return async_call(
      broker, [](auto& used) { return used.statistics(); }, std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_queue_statistics(B& broker, std::string queue, Token&& token) {
  return async_call(
      broker, [queue = std::move(queue)](auto& used) mutable { return used.queue_statistics(queue); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_compact(B& broker, std::string queue, Token&& token) {
  return async_call(
      broker, [queue = std::move(queue)](auto& used) mutable { return used.compact(queue); },
      std::forward<Token>(token));
}

template <AsyncBroker B, class Token>
auto async_verify(B& broker, Token&& token) {
  return async_call(
      broker, [](auto& used) { return used.verify(); }, std::forward<Token>(token));
}

}  // namespace holdfast
