#include "client/calls/call_sender.h"

namespace holdfast::client {

Result<void> CallSender::connect(const transport::Address& address,
                                 const std::shared_ptr<transport::TlsContext>& tls) {
  Result<void> result;
  loop_.call([&] {
    loop_.role.assert_held();
    session_ = std::make_unique<ClientSession>(loop_.port(), address, tls, options_, server_time_);
    return session_->connect().then([&](Result<void> connected) { result = std::move(connected); });
  });
  return result;
}

void CallSender::close() {
  const sync::Lock lock(closing_);
  loop_.call([this]() -> kj::Promise<void> {
    loop_.role.assert_held();
    session_ = nullptr;
    return kj::READY_NOW;
  });
}

CallSender::Identity CallSender::identify(std::string request_id, Effect without,
                                          std::optional<Duration> within) {
  // To the server, a repetition later than that would be a new call.
  const bool in_time = time_of(within) <= limits::kRequestWindow;
  if (request_id.empty() && options_.request_ids && in_time) request_id = request_ids_.next();
  const bool is_remembered = !request_id.empty() && in_time;
  return {std::move(request_id), is_remembered ? Effect::kFenced : without, is_remembered};
}

Result<void> CallSender::subscribe(const std::shared_ptr<Push>& push) {
  Result<void> result = fail(ErrorCode::kClosed, "the client is closed");
  loop_.call([&]() -> kj::Promise<void> {
    loop_.role.assert_held();
    if (!session_) return kj::READY_NOW;
    auto told =
        session_->subscribe(push).then([&](Result<void> subscribed) { result = std::move(subscribed); });
    return told.catch_([](kj::Exception&&) {});  // the client was closed meanwhile
  });
  return result;
}

void CallSender::unsubscribe(const std::shared_ptr<Push>& push) {
  loop_.call([&]() -> kj::Promise<void> {
    loop_.role.assert_held();
    if (session_) session_->unsubscribe(push);
    return kj::READY_NOW;
  });
}

void CallSender::grant(const std::shared_ptr<Push>& push, std::uint64_t opening, std::uint32_t count) {
  loop_.mailbox()->post([this, push = std::weak_ptr(push), opening, count] {
    loop_.role.assert_held();
    const auto alive = push.lock();
    if (session_ && alive) alive->grant(opening, count);
  });
}

void CallSender::start(PendingCall call, std::uint64_t number) {
  loop_.mailbox()->post([this, call = std::move(call), number]() mutable {
    loop_.role.assert_held();
    if (session_) session_->start(std::move(call), number);
  });
}

void CallSender::on_loop(std::function<void()> work) {
  // A task that is no longer run is destroyed, and `work` is called then.
  loop_.mailbox()->post([run = kj::defer(std::move(work))] {});
}

void CallSender::cancel(std::uint64_t number) {
  loop_.mailbox()->post([this, number] {
    loop_.role.assert_held();
    if (session_) session_->cancel(number);
  });
}

void CallSender::begin_parts(std::uint64_t number) {
  loop_.mailbox()->post([this, number] {
    loop_.role.assert_held();
    if (session_) session_->begin_parts(number);
  });
}

void CallSender::end_parts(std::uint64_t number) {
  loop_.mailbox()->post([this, number] {
    loop_.role.assert_held();
    if (session_) session_->end_parts(number);
  });
}

}  // namespace holdfast::client
