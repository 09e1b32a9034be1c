// The verbs beside messages (queues, dead letters, redrive, operations) with Boost.Asio completion tokens;
// included by asio.h, which says when operations complete. These verbs block, so each runs as an
// Engine::async_call, and completes with what the verb of the same name gives (Broker), or with kOverloaded,
// kClosed or kCancelled if it did not begin.
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

#include "holdfast/asio_operation.h"
#include "holdfast/engine.h"

namespace holdfast {
namespace asio_detail {

// A call that may be cancelled, from its start to its handler's call.
template <class Value, class Handler>
class Call : public std::enable_shared_from_this<Call<Value, Handler>> {
 public:
  Call(Engine& engine, Handler handler)
      : engine_(engine), operation_(std::make_shared<Operation<Value, Handler>>(std::move(handler))) {}

  // `start(done)` gives the engine's token.
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
    engine_.cancel_call(token);
  }

 private:
  void cancel() {
    std::optional<Engine::CallToken> token;
    {
      const std::scoped_lock lock(mutex_);
      cancelled_ = true;
      token = token_;
    }
    if (token) engine_.cancel_call(*token);
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

  Engine& engine_;
  std::shared_ptr<Operation<Value, Handler>> operation_;
  std::mutex mutex_;
  std::optional<Engine::CallToken> token_;
  bool cancelled_ = false;
};

template <class Value, class Token, class Start>
auto initiate_call(Engine& engine, Token&& token, Start start) {
  return boost::asio::async_initiate<Token, void(Value)>(
      [&engine, start = std::move(start)](auto handler) mutable {
        using Handler = decltype(handler);
        std::make_shared<Call<Value, Handler>>(engine, std::move(handler))->start(std::move(start));
      },
      token);
}

}  // namespace asio_detail

// Any verb, or several: completes with the Result that `verb(engine)` gives. See Engine::async_call.
//
//   auto infos = co_await async_call(engine, [](Engine& e) { return e.list_queues(); }, use_awaitable);
template <class Verb, class Token>
auto async_call(Engine& engine, Verb verb, Token&& token) {
  using Value = std::invoke_result_t<Verb&, Engine&>;
  return asio_detail::initiate_call<Value>(engine, std::forward<Token>(token),
                                           [&engine, verb = std::move(verb)](auto done) mutable {
                                             return engine.async_call(std::move(verb), std::move(done));
                                           });
}

// These two complete with Result<Redriven>.
template <class Token>
auto async_redrive(Engine& engine, std::string queue, RedriveOptions options, Token&& token) {
  return asio_detail::initiate_call<Result<Redriven>>(
      engine, std::forward<Token>(token),
      [&engine, queue = std::move(queue), options = std::move(options)](auto done) mutable {
        return engine.async_redrive(queue, std::move(options), std::move(done));
      });
}

template <class Token>
auto async_park(Engine& engine, std::string queue, RedriveOptions options, Token&& token) {
  return asio_detail::initiate_call<Result<Redriven>>(
      engine, std::forward<Token>(token),
      [&engine, queue = std::move(queue), options = std::move(options)](auto done) mutable {
        return engine.async_park(queue, std::move(options), std::move(done));
      });
}

// These complete with what the verb without async_ gives.
template <class Token>
auto async_create_queue(Engine& engine, std::string name, QueueOptions options, Token&& token) {
  return async_call(
      engine,
      [name = std::move(name), options = std::move(options)](Engine& used) mutable {
        return used.create_queue(name, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_alter_queue(Engine& engine, std::string name, QueueChanges changes, Token&& token) {
  return async_call(
      engine,
      [name = std::move(name), changes = std::move(changes)](Engine& used) mutable {
        return used.alter_queue(name, std::move(changes));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_pause_queue(Engine& engine, std::string name, Pause what, Token&& token) {
  return async_call(
      engine, [name = std::move(name), what](Engine& used) mutable { return used.pause_queue(name, what); },
      std::forward<Token>(token));
}

template <class Token>
auto async_resume_queue(Engine& engine, std::string name, Pause what, Token&& token) {
  return async_call(
      engine, [name = std::move(name), what](Engine& used) mutable { return used.resume_queue(name, what); },
      std::forward<Token>(token));
}

template <class Token>
auto async_delete_queue(Engine& engine, std::string name, Token&& token) {
  return async_call(
      engine, [name = std::move(name)](Engine& used) mutable { return used.delete_queue(name); },
      std::forward<Token>(token));
}

template <class Token>
auto async_purge_queue(Engine& engine, std::string name, Token&& token) {
  return async_call(
      engine, [name = std::move(name)](Engine& used) mutable { return used.purge_queue(name); },
      std::forward<Token>(token));
}

template <class Token>
auto async_describe_queue(Engine& engine, std::string name, Token&& token) {
  return async_call(
      engine, [name = std::move(name)](Engine& used) mutable { return used.describe_queue(name); },
      std::forward<Token>(token));
}

template <class Token>
auto async_list_queues(Engine& engine, Token&& token) {
  return async_call(
      engine, [](Engine& used) { return used.list_queues(); }, std::forward<Token>(token));
}

template <class Token>
auto async_peek(Engine& engine, std::string queue, PeekOptions options, Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), options = std::move(options)](Engine& used) mutable {
        return used.peek(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_list_dead_letters(Engine& engine, std::string queue, ListDeadLettersOptions options,
                             Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), options = std::move(options)](Engine& used) mutable {
        return used.list_dead_letters(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_group_dead_letters(Engine& engine, std::string queue, GroupDeadLettersOptions options,
                              Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), options = std::move(options)](Engine& used) mutable {
        return used.group_dead_letters(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_dead_letter_statistics(Engine& engine, std::string queue, DeadLetterStatisticsOptions options,
                                  Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), options](Engine& used) {
        return used.dead_letter_statistics(queue, options);
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_change_dead_letters(Engine& engine, std::string queue, DeadLetterSelection selection,
                               DeadLetterChanges changes, Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), selection = std::move(selection),
       changes = std::move(changes)](Engine& used) mutable {
        return used.change_dead_letters(queue, std::move(selection), std::move(changes));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_discard_dead_letters(Engine& engine, std::string queue, DeadLetterSelection selection,
                                Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), selection = std::move(selection)](Engine& used) mutable {
        return used.discard_dead_letters(queue, std::move(selection));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_import_dead_letters(Engine& engine, std::string queue, std::vector<DeadLetter> letters,
                               Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), letters = std::move(letters)](Engine& used) mutable {
        return used.import_dead_letters(queue, std::move(letters));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_start_redrive(Engine& engine, std::string queue, RedriveOptions options, Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), options = std::move(options)](Engine& used) mutable {
        return used.start_redrive(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_redrive_status(Engine& engine, TaskId id, Token&& token) {
  return async_call(
      engine, [id](Engine& used) { return used.redrive_status(id); }, std::forward<Token>(token));
}

template <class Token>
auto async_list_redrives(Engine& engine, Token&& token) {
  return async_call(
      engine, [](Engine& used) { return used.list_redrives(); }, std::forward<Token>(token));
}

template <class Token>
auto async_cancel_redrive(Engine& engine, TaskId id, Token&& token) {
  return async_call(
      engine, [id](Engine& used) { return used.cancel_redrive(id); }, std::forward<Token>(token));
}

template <class Token>
auto async_preview_redrive(Engine& engine, std::string queue, RedriveOptions options, Token&& token) {
  return async_call(
      engine,
      [queue = std::move(queue), options = std::move(options)](Engine& used) mutable {
        return used.preview_redrive(queue, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_trace(Engine& engine, const MessageId& id, Token&& token) {
  return async_call(
      engine, [id](Engine& used) { return used.trace(id); }, std::forward<Token>(token));
}

template <class Token>
auto async_backup(Engine& engine, std::filesystem::path directory, BackupOptions options, Token&& token) {
  return async_call(
      engine,
      [directory = std::move(directory), options = std::move(options)](Engine& used) mutable {
        return used.backup(directory, std::move(options));
      },
      std::forward<Token>(token));
}

template <class Token>
auto async_statistics(Engine& engine, Token&& token) {
  return async_call(
      engine, [](Engine& used) { return used.statistics(); }, std::forward<Token>(token));
}

template <class Token>
auto async_queue_statistics(Engine& engine, std::string queue, Token&& token) {
  return async_call(
      engine, [queue = std::move(queue)](Engine& used) mutable { return used.queue_statistics(queue); },
      std::forward<Token>(token));
}

template <class Token>
auto async_compact(Engine& engine, std::string queue, Token&& token) {
  return async_call(
      engine, [queue = std::move(queue)](Engine& used) mutable { return used.compact(queue); },
      std::forward<Token>(token));
}

template <class Token>
auto async_verify(Engine& engine, Token&& token) {
  return async_call(
      engine, [](Engine& used) { return used.verify(); }, std::forward<Token>(token));
}

}  // namespace holdfast
