// What a Client is made of: a thread with the loop, and on it a session.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "client/push.h"
#include "client/request_ids.h"
#include "client/session.h"
#include "client/typed_call.h"
#include "holdfast/client.h"
#include "holdfast/limits.h"
#include "transport/loop_thread.h"

namespace holdfast {

class Client::Impl {
 public:
  explicit Impl(ClientOptions options) : options_(std::move(options)) {}
  ~Impl() { close(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> connect(const transport::Address& address, const std::shared_ptr<transport::TlsContext>& tls);
  void close();

  // What a call with this request id, the caller's, is sent with, and what it may do twice without.
  struct Identity {
    std::string request_id;
    client::Effect effect;
  };
  Identity identify(std::string request_id, client::Effect without);

  std::vector<Result<void>> begin_batch(std::span<const Receipt> receipts);
  std::vector<Result<void>> ack_batch(std::span<const Receipt> receipts, SettleOptions options);

  // Blocks until the server pushes, or says why not.
  Result<void> subscribe(const std::shared_ptr<client::Push>& push);
  void unsubscribe(const std::shared_ptr<client::Push>& push);
  void grant(const std::shared_ptr<client::Push>& push, std::uint32_t count);

  // How calls differ.
  struct How {
    client::Effect effect;
    client::Route route = client::Route::kAnywhere;
    Duration wait = {};  // how much longer than others it may take
  };

  // Makes a call and blocks until it has ended.
  template <class Params, class Reply, class Write, class Read>
  auto call(How how, client::Method<Params, Reply> method, Write write, Read read) {
    const auto deadline = std::chrono::steady_clock::now() + options_.call_timeout +
                          std::clamp(how.wait, Duration(0), limits::kWaitMax);
    auto call = std::make_shared<client::TypedCall<Params, Reply, Write, Read>>(
        how.effect, how.route, deadline, method, write, read);
    start(client::PendingCall(call));
    call->wait();
    return call->take();
  }

 private:
  void start(client::PendingCall call);

  const ClientOptions options_;
  client::RequestIds request_ids_;
  std::mutex closing_;
  std::unique_ptr<client::Session> session_;  // the loop's thread only; null once closed
  transport::LoopThread loop_;                // after the session, which its thread uses
};

}  // namespace holdfast
