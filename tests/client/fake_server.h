// A server that does what a test says, over real sockets.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/client.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "holdfast/wire/push.capnp.h"
#include "schema/transport/loop_thread.h"

namespace holdfast::testing {

using HelloContext = capnp::CallContext<wire::HelloRequest, wire::HelloReply>;
using DescribeContext = capnp::CallContext<wire::QueueRequest, wire::DescribeReply>;
using SendContext = capnp::CallContext<wire::SendRequest, wire::SendReply>;
using ReceiveContext = capnp::CallContext<wire::ReceiveRequest, wire::ReceiveReply>;
using AckContext = capnp::CallContext<wire::AckRequest, wire::SettleReply>;
using ExtendContext = capnp::CallContext<wire::ExtendRequest, wire::SettleReply>;
using StartContext = capnp::CallContext<wire::StartRequest, wire::SettleReply>;
using ReleaseContext = capnp::CallContext<wire::ReleaseRequest, wire::SettleReply>;
using RejectContext = capnp::CallContext<wire::RejectRequest, wire::SettleReply>;
using RedriveContext = capnp::CallContext<wire::RedriveRequest, wire::RedriveReply>;
using CancelRedriveContext = capnp::CallContext<wire::CancelRedriveRequest, wire::TaskReply>;
using SubscribeContext = capnp::CallContext<wire::SubscribeRequest, wire::SubscribeReply>;
using ChangeContext = capnp::CallContext<wire::ChangeDeadLettersRequest, wire::DeadLettersChangedReply>;
using DiscardContext = capnp::CallContext<wire::DiscardDeadLettersRequest, wire::DeadLettersChangedReply>;
using ListContext = capnp::CallContext<wire::ListDeadLettersRequest, wire::ListDeadLettersReply>;
using BackupContext = capnp::CallContext<wire::BackupRequest, wire::BackupReply>;
using DrainContext = capnp::CallContext<wire::DrainRequest, wire::DrainReply>;
using DrainStatusContext = capnp::CallContext<wire::DrainStatusRequest, wire::DrainReply>;
using ResumeContext = capnp::CallContext<wire::ResumeRequest, wire::DrainReply>;

// kAnyReceipt is a receipt, for calls of which the script decides what they answer.
inline constexpr Receipt kAnyReceipt{QueueId(1), Seq(2), LeaseId(3)};

class FakeServer;

// Answers the n-th call of its kind, counted from 1. Runs on the server's thread. A call without a handler is
// answered with an empty reply, except hello, which answers like a real server. Any token is known, and gives
// the same broker.
template <class Context>
using Handler = std::function<kj::Promise<void>(FakeServer& server, Context& context, int n)>;

struct Script {
  Handler<HelloContext> hello = {};
  Handler<DescribeContext> describe = {};
  Handler<SendContext> send = {};
  Handler<ReceiveContext> receive = {};
  Handler<AckContext> ack = {};
  Handler<ExtendContext> extend = {};
  Handler<StartContext> start = {};
  Handler<ReleaseContext> release = {};
  Handler<RejectContext> reject = {};
  Handler<RedriveContext> redrive = {};
  Handler<CancelRedriveContext> cancel_redrive = {};
  Handler<SubscribeContext> subscribe = {};
  Handler<ChangeContext> change = {};
  Handler<DiscardContext> discard = {};
  Handler<ListContext> list = {};
  Handler<BackupContext> backup = {};
  Handler<DrainContext> drain = {};
  Handler<DrainStatusContext> drain_status = {};
  Handler<ResumeContext> resume = {};
};

class FakeServer {
 public:
  // `address` is "unix:/path", or "127.0.0.1:port", where port 0 means any free port.
  explicit FakeServer(Script script, std::string_view address = "127.0.0.1:0");
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  const std::string& address() const { return address_; }
  // Returns how many connections were accepted so far.
  int connections() const { return connections_; }

  // Handlers call this to break all connections. The promise never resolves.
  kj::Promise<void> break_connections();

 private:
  struct State;

  transport::LoopThread loop_;
  std::shared_ptr<State> state_;  // only the loop's thread uses it
  std::string address_;
  std::atomic<int> connections_ = 0;
};

// The handlers that several tests need.
inline constexpr auto kStaySilent = [](FakeServer&, auto&, int) -> kj::Promise<void> {
  return kj::NEVER_DONE;
};
inline constexpr auto kHangUp = [](FakeServer& server, auto&, int) { return server.break_connections(); };
inline constexpr auto kHangUpOnce = [](FakeServer& server, auto&, int n) -> kj::Promise<void> {
  if (n == 1) return server.break_connections();
  return kj::READY_NOW;
};

// Makes a client of the server. It does not wait long before it connects again.
Client connect(const FakeServer& server, ClientOptions options = {});

}  // namespace holdfast::testing
