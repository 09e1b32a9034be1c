// CallSender is the inside of a client: a thread with a loop, and a session on that thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "client/common/request_ids.h"
#include "client/common/server_time.h"
#include "client/connection/client_session.h"
#include "client/connection/push.h"
#include "client/connection/typed_call.h"
#include "engine/base/helpers/waking_clock.h"
#include "engine/sync/mutex.h"
#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "schema/transport/loop_thread.h"

namespace holdfast::client {

class CallSender {
 public:
  explicit CallSender(ClientOptions options) : options_(std::move(options)) {}
  ~CallSender() { close(); }
  CallSender(const CallSender&) = delete;
  CallSender& operator=(const CallSender&) = delete;

  Result<void> connect(const transport::Address& address, const std::shared_ptr<transport::TlsContext>& tls);
  void close();

  ClientVerbs& verbs() { return verbs_; }
  Timestamp server_time() const { return server_time_.now(); }
  std::uint64_t next_number() { return ++last_number_; }
  void cancel(std::uint64_t number);
  // Begin and end a call in parts, as ClientSession says.
  void begin_parts(std::uint64_t number);
  void end_parts(std::uint64_t number);

  // An Identity has the request id of a call, and the effect of the call, which says whether it may be
  // repeated.
  struct Identity {
    std::string request_id;
    Effect effect;
    bool is_remembered;  // the server remembers the id for as long as the call may be repeated
  };
  // Makes the identity of a call. `request_id` is the caller's own, if not empty. `without` is the effect if
  // the server does not remember the call. `within` is the time that the call has, if it has its own.
  Identity identify(std::string request_id, Effect without, std::optional<Duration> within = {});

  // Blocks until the server pushes, or has said why it does not.
  Result<void> subscribe(const std::shared_ptr<Push>& push);
  void unsubscribe(const std::shared_ptr<Push>& push);
  void grant(const std::shared_ptr<Push>& push, std::uint64_t opening, std::uint32_t count);

  // A How says in which ways calls differ.
  struct How {
    Effect effect;
    Route route = Route::kAnywhere;
    Duration wait = {};         // how much longer than others the call may take
    std::uint64_t words = 128;  // room for its arguments in words; it grows if they are larger
    // The call's own time, if it has less than others.
    std::optional<Duration> within = {};
  };

  // Makes a call. `write` and `read` must hold everything that they need: they are called on the loop's
  // thread.
  template <class Calls, class Params, class Reply, class Write, class Read>
  auto call(How how, Method<Calls, Params, Reply> method, Write write, Read read) {
    using Made = TypedCall<Calls, Params, Reply, Write, Read>;
    using Value = typename Made::Value;
    auto start = [this, how, method, write = std::move(write), read = std::move(read)](
                     std::uint64_t number, typename Made::Done done) mutable {
      const Duration deadline = clock_or_waking(options_.clock).steady() + time_of(how.within) +
                                std::clamp(how.wait, Duration(0), limits::kWaitMax);
      this->start(PendingCall(std::make_shared<Made>(how.effect, how.route, deadline, method, how.words,
                                                     std::move(write), std::move(read), std::move(done))),
                  number);
    };
    return ClientCall<Value>(std::move(start));
  }

  // Makes a call and blocks until it has ended. It does not use a latch, which spins and yields first: with
  // few cores that takes time from the threads that it waits for.
  template <class Value>
  static Value wait(ClientCall<Value> call) {
    const auto answered = std::make_shared<std::promise<Value>>();
    auto answer = answered->get_future();
    call.start(0, [answered](Value value) { answered->set_value(std::move(value)); });
    return answer.get();
  }

  // Calls `work` on the loop's thread, or on any thread once the client is closed.
  void on_loop(std::function<void()> work);

 private:
  void start(PendingCall call, std::uint64_t number);
  Duration time_of(std::optional<Duration> within) const {
    return std::min(options_.call_timeout, within.value_or(options_.call_timeout));
  }

  const ClientOptions options_;
  ClientVerbs verbs_{*this};
  RequestIds request_ids_;
  ServerTime server_time_;
  std::atomic<std::uint64_t> last_number_ = 0;
  sync::Mutex closing_;
  std::unique_ptr<ClientSession> session_ HOLDFAST_GUARDED_BY(loop_.role);  // null once closed
  transport::LoopThread loop_;  // declared after the session, which its thread uses
};

// Returns a call that needs no server: it ends with `value` where it is started.
template <class Value>
ClientCall<Value> answered(Value value) {
  return ClientCall<Value>(
      [value = std::move(value)](std::uint64_t, auto done) mutable { done(std::move(value)); });
}

// Returns a call that gives convert(value) where `call` gives `value`.
template <class Value, class Convert>
auto converted(ClientCall<Value> call, Convert convert) {
  using Converted = std::invoke_result_t<Convert&, Value>;
  return ClientCall<Converted>(
      [call = std::move(call), convert = std::move(convert)](std::uint64_t number, auto done) mutable {
        call.start(number, [convert = std::move(convert), done = std::move(done)](Value value) mutable {
          done(convert(std::move(value)));
        });
      });
}

}  // namespace holdfast::client

namespace holdfast {

class ClientHandle::Impl final : public client::CallSender {
 public:
  using CallSender::CallSender;
};

}  // namespace holdfast
