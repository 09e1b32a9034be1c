#include "client/connection/client_session.h"

#include <kj/debug.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "client/common/is_retryable.h"
#include "client/connection/translate.h"
#include "engine/base/helpers/waking_clock.h"

namespace holdfast::client {
namespace {

constexpr const char* kClosing = "the server is closing";
constexpr const char* kDenied = "a repeated call was denied: the client must authenticate again";

// Makes a secret name, so that nobody else can have the server hang up on this client's connections.
convert::ConnectionName make_name() {
  std::random_device device;
  const auto draw = [&] { return std::uint64_t{device()} << 32U | device(); };
  return {.high = draw(), .low = draw()};
}

RandomBackoff backoff_of(const ClientOptions& options) {
  return {options.reconnect_delay, options.reconnect_delay_max, std::random_device()()};
}

}  // namespace

ClientSession::ClientSession(transport::EventPort& port, transport::Address address,
                             std::shared_ptr<transport::TlsContext> tls, const ClientOptions& options,
                             ServerTime& server_time)
    : port_(port),
      address_(std::move(address)),
      tls_(std::move(tls)),
      options_(options),
      clock_(clock_or_waking(options.clock)),
      server_time_(server_time),
      backoff_(backoff_of(options)),
      newest_(make_name()),
      reconnecting_(kj::Promise<void>(kj::READY_NOW).fork()) {}

ClientSession::~ClientSession() {
  for (const auto& push : pushes_) {
    push->lost();
    push->end({ErrorCode::kClosed, "the client was closed"});
  }
}

kj::Promise<Result<void>> ClientSession::connect() {
  return open().then([this](Result<std::unique_ptr<Connection>> opened) -> Result<void> {
    if (!opened) return tl::unexpected(opened.error());
    adopt(*std::move(opened));
    return {};
  });
}

void ClientSession::start(PendingCall call, std::uint64_t number) {
  if (const auto parts = parts_.find(number); parts != parts_.end() && parts->second) return call->cancel();
  auto& running = *call;
  auto too_late =
      port_.after(running.deadline() - clock_.steady()).then([this, &running] { expire(running); });
  auto ended = perform(running).exclusiveJoin(kj::mv(too_late));
  if (number != 0) ended = ended.exclusiveJoin(cancelled(running, number));
  tasks_.add(ended.attach(kj::mv(call)));
}

kj::Promise<void> ClientSession::cancelled(Call& call, std::uint64_t number) {
  auto pending = kj::newPromiseAndFulfiller<void>();
  const auto entry = cancellable_.emplace(number, pending.fulfiller.get());
  auto forget =
      kj::defer([this, entry, fulfiller = kj::mv(pending.fulfiller)] { cancellable_.erase(entry); });
  return pending.promise.then([&call] { call.cancel(); }).attach(kj::mv(forget));
}

void ClientSession::cancel(std::uint64_t number) {
  if (const auto parts = parts_.find(number); parts != parts_.end()) parts->second = true;
  const auto [begin, end] = cancellable_.equal_range(number);
  for (auto entry = begin; entry != end; ++entry) entry->second->fulfill();
}

// The timer of the call's deadline stands still while the machine sleeps, but the time for which the server
// recognises a repetition does not. So the clock, which goes on, is checked before each try.
kj::Promise<void> ClientSession::perform(Call& call) {
  if (clock_.steady() >= call.deadline()) expire(call);
  if (call.ended()) return kj::READY_NOW;
  if (draining_ && call.route() != Route::kAnywhere) return attempt(call, *draining_);
  if (connection_) return attempt(call, *connection_);
  return reconnecting_.addBranch().then([this, &call] { return perform(call); });
}

kj::Promise<void> ClientSession::attempt(Call& call, Connection& connection) {
  const auto number = connection.number();
  return kj::evalNow([&] { return call.attempt(connection).attach(connection.use()); })
      .then([this, &call, number] { return answered(call, number); })
      .catch_([this, &call, number](kj::Exception&& e) { return attempt_failed(call, number, e); });
}

// A call that the server refused without answering it is tried again until the call's deadline.
kj::Promise<void> ClientSession::answered(Call& call, std::uint64_t connection) {
  if (call.ended()) {
    prove(connection);
    return kj::READY_NOW;
  }
  const ErrorCode code = call.refusal().code;
  if (code == ErrorCode::kClosed) {
    retire_for(call, connection, kClosing);
    return perform(call);
  }
  // A connection has the rights that its token had when the connection was opened. A new connection shows the
  // token again.
  if (code == ErrorCode::kPermissionDenied && !options_.token.empty()) retire_for(call, connection, kDenied);
  return port_.after(call.next_pause(backoff_of(options_))).then([this, &call] { return perform(call); });
}

kj::Promise<void> ClientSession::attempt_failed(Call& call, std::uint64_t connection,
                                                const kj::Exception& exception) {
  const bool lost = exception.getType() == kj::Exception::Type::DISCONNECTED || !is_open(connection);
  if (!lost) {
    call.refused(to_error(exception));
    return answered(call, connection);
  }
  lose(connection);
  call.lost();
  if (call.may_repeat()) {
    if (call.may_have_had_effect()) fence(connection);
    return perform(call);
  }
  call.give_up(ErrorCode::kUnavailable, "the connection was lost");
  return kj::READY_NOW;
}

// A server that has sent nothing at all since the call was sent may be gone without a word, so the next calls
// try a new connection.
void ClientSession::expire(Call& call) {
  if (call.ended()) return;
  for (const Connection* open : {connection_.get(), draining_.get()}) {
    if (open != nullptr && call.met_silence(*open)) lose(open->number());
  }
  if (connection_ || call.sent()) {
    call.give_up(ErrorCode::kUnavailable, "the call's time ran out");
  } else {
    call.fail({ErrorCode::kUnavailable, "cannot reach " + to_string(address_) + ": " + last_error_});
  }
}

kj::Promise<Result<std::unique_ptr<Connection>>> ClientSession::open() {
  auto too_late = port_.after(options_.connect_timeout).then([]() -> Result<std::unique_ptr<Connection>> {
    return fail(ErrorCode::kUnavailable, "no answer within the connect timeout");
  });
  ++newest_.number;
  std::vector<std::uint64_t> lost(lost_.begin(), lost_.end());
  return Connection::open(port_, address_, tls_, options_.name, options_.token, {newest_, lost})
      .then([this, lost](Result<std::unique_ptr<Connection>> opened) {
        if (!opened) return opened;
        for (const std::uint64_t number : lost) {
          lost_.erase(number);
          untold_.erase(number);
        }
        return opened;
      })
      .exclusiveJoin(kj::mv(too_late));
}

// Tries until it succeeds or the session ends.
kj::Promise<void> ClientSession::reconnect() {
  return port_.after(backoff_.next())
      .then([this] { return open(); })
      .then([this](Result<std::unique_ptr<Connection>> opened) -> kj::Promise<void> {
        if (!opened) {
          last_error_ = opened.error().message;
          return reconnect();
        }
        if (!untold_.empty()) return reconnect();  // a connection was lost while this one was opened
        adopt(*std::move(opened));
        return kj::READY_NOW;
      });
}

void ClientSession::adopt(std::unique_ptr<Connection> connection) {
  connection_ = std::move(connection);
  is_proven_ = false;
  adopted_at_ = clock_.steady();
  server_time_.set(connection_->server_time().now());
  tasks_.add(connection_->on_disconnect().then([this, number = connection_->number()] { lose(number); }));
  tasks_.add(kj::evalLast([this, number = connection_->number()] { reopen_pushes(number); }));
}

// A server that drains may take new connections, and refuse everything on them. So only a connection that was
// good for something takes the place of the one before it, and ends the pauses between the tries.
void ClientSession::prove(std::uint64_t connection) {
  if (is_proven_ || !connection_ || connection_->number() != connection) return;
  is_proven_ = true;
  backoff_.reset();
  forget_draining();
}

// This runs after the calls that waited for the connection: streams must not take their places on a server
// that is at a limit.
void ClientSession::reopen_pushes(std::uint64_t connection) {
  if (!connection_ || connection_->number() != connection) return;
  for (const auto& push : pushes_) tasks_.add(reopen(push, backoff_of(options_)));
}

bool ClientSession::is_open(std::uint64_t connection) const {
  return (connection_ && connection_->number() == connection) ||
         (draining_ && draining_->number() == connection);
}

void ClientSession::lose(std::uint64_t connection) {
  lost_.insert(connection);
  if (draining_ && draining_->number() == connection) draining_ = nullptr;
  if (!is_open(connection)) return;
  last_error_ = "the connection was lost";
  lost_pushes();
  // An idle connection that has lasted was good too.
  if (clock_.steady() - adopted_at_ >= options_.reconnect_delay_max) backoff_.reset();
  connection_ = nullptr;
  reconnecting_ = reconnect().fork();
}

// A connection that is no longer used may break with calls unanswered. The server learns of a lost connection
// only from the next hello, so these calls are not repeated over connections that are there already.
void ClientSession::fence(std::uint64_t connection) {
  if (!lost_.contains(connection)) return;
  untold_.insert(connection);
  if (draining_) lose(draining_->number());
  if (connection_) lose(connection_->number());
}

// Stops using a connection, above all one whose server is closing. That server still answers what it has
// accepted and, while it drains, calls about what it has handed out; then it hangs up.
void ClientSession::retire(std::uint64_t connection, const char* why) {
  if (!connection_ || connection_->number() != connection) return;
  last_error_ = why;
  lost_pushes();
  if (draining_) {  // so this connection never was good for anything
    let_go(std::move(connection_), Duration{0});
  } else {
    draining_ = std::move(connection_);
  }
  reconnecting_ = reconnect().fork();
}

// A call that was sent before its connection was retired says nothing new. A call that the draining server
// alone can answer, and does not, ends what is left of the connection's use.
void ClientSession::retire_for(const Call& call, std::uint64_t connection, const char* why) {
  const bool is_draining = draining_ && draining_->number() == connection;
  if (is_draining && call.route() != Route::kAnywhere) return forget_draining();
  retire(connection, why);
}

void ClientSession::forget_draining() {
  if (draining_) let_go(std::move(draining_), options_.call_timeout);
}

// The server still answers the calls that it has accepted.
void ClientSession::let_go(std::unique_ptr<Connection> connection, Duration until_look) {
  auto over = connection->on_disconnect().exclusiveJoin(unused(*connection, until_look));
  tasks_.add(over.attach(std::move(connection)));
}

// Checks now and then whether the connection is unused. A connection that is kept a while longer does no
// harm.
kj::Promise<void> ClientSession::unused(const Connection& connection, Duration until_look) {
  return port_.after(until_look).then([this, &connection]() -> kj::Promise<void> {
    if (connection.in_use()) return unused(connection, options_.call_timeout);
    return kj::READY_NOW;
  });
}

kj::Promise<Result<void>> ClientSession::subscribe(const std::shared_ptr<Push>& push) {
  auto too_late = port_.after(options_.call_timeout).then([this]() -> Result<void> {
    return fail(ErrorCode::kUnavailable, "cannot reach " + to_string(address_) + ": " + last_error_);
  });
  // A push that the session does not have must ignore its server, whose calls would otherwise still arrive.
  auto leave = kj::defer([this, push] {
    if (!pushes_.contains(push) && !push->ended()) push->lost();
  });
  auto opened = open(push)
                    .then([this, push](Result<void> result) {
                      if (result && !push->ended()) pushes_.insert(push);
                      return result;
                    })
                    .attach(kj::mv(leave));
  auto told = kj::newPromiseAndFulfiller<Result<void>>();
  tasks_.add(opened.exclusiveJoin(kj::mv(too_late))
                 .then([tell = kj::mv(told.fulfiller)](Result<void> result) mutable {
                   tell->fulfill(std::move(result));
                 }));
  return kj::mv(told.promise);
}

void ClientSession::unsubscribe(const std::shared_ptr<Push>& push) {
  pushes_.erase(push);
  push->lost();
}

// Opens the push over the next connection if the present one is lost or retired meanwhile, or if its server
// closes.
kj::Promise<Result<void>> ClientSession::open(const std::shared_ptr<Push>& push) {
  if (push->ended()) return Result<void>();  // a server ended it, and was lost before it replied
  if (!connection_) return reconnecting_.addBranch().then([this, push] { return open(push); });
  const auto number = connection_->number();
  return push->open(*connection_, ended_over(number))
      .then([this, push, number](Result<void> result) -> kj::Promise<Result<void>> {
        const bool closes = !result && result.error().code == ErrorCode::kClosed;
        if (closes) retire(number, kClosing);
        if (result) prove(number);
        // A connection that was retired meanwhile will be closed without telling its subscriptions.
        const bool retired = result && (!connection_ || connection_->number() != number);
        if (retired) push->lost();
        return closes || retired ? open(push) : result;
      })
      .catch_([this, push, number](kj::Exception&& e) -> kj::Promise<Result<void>> {
        const bool broken = e.getType() == kj::Exception::Type::DISCONNECTED || !is_open(number);
        if (!broken) return Result<void>(tl::unexpected(to_error(e)));
        lose(number);
        return open(push);
      });
}

// `backoff` is the pause after the refusals so far.
kj::Promise<void> ClientSession::reopen(const std::shared_ptr<Push>& push, RandomBackoff backoff) {
  if (!connection_) return kj::READY_NOW;  // the next connection reopens it
  const auto number = connection_->number();
  auto opened = push->open(*connection_, ended_over(number));
  return opened
      .then([this, push, number, backoff](const Result<void>& result) {
        if (!result) return ended(push, number, result.error(), backoff);
        prove(number);
      })
      .catch_([this, push, number, backoff, opening = push->opening()](kj::Exception&& e) {
        if (e.getType() == kj::Exception::Type::DISCONNECTED || !is_open(number)) return lose(number);
        if (push->opening() == opening) ended(push, number, to_error(e), backoff);
      });
}

Push::Ended ClientSession::ended_over(std::uint64_t connection) {
  return [this, connection](const std::shared_ptr<Push>& push, const Error& error) {
    ended(push, connection, error, backoff_of(options_));
  };
}

// The server stops pushing, or refuses to push again. A server that may push later is asked again.
void ClientSession::ended(const std::shared_ptr<Push>& push, std::uint64_t connection, const Error& error,
                          RandomBackoff backoff) {
  if (error.code == ErrorCode::kClosed) return retire(connection, kClosing);
  if (!is_retryable(error.code)) {
    pushes_.erase(push);
    return push->end(error);
  }
  push->lost();
  const Duration pause = backoff.next();
  auto again = [this, push, backoff, opening = push->opening()]() -> kj::Promise<void> {
    // If the opening has changed, the push was closed, or its connection was lost and the next one reopens
    // it.
    if (push->opening() == opening) return reopen(push, backoff);
    return kj::READY_NOW;
  };
  tasks_.add(port_.after(pause).then(kj::mv(again)));
}

void ClientSession::lost_pushes() {
  for (const auto& push : pushes_) push->lost();
}

void ClientSession::taskFailed(kj::Exception&& exception) {
  KJ_FAIL_ASSERT("every task handles its failures", exception);
}

}  // namespace holdfast::client
