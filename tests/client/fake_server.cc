#include "tests/client/fake_server.h"

#include <capnp/rpc-twoparty.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "schema/convert/values/hello_conversion.h"
#include "schema/transport/address.h"
#include "schema/transport/rpc_connection.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using transport::Address;
using Tcp = boost::asio::ip::tcp;
using Unix = boost::asio::local::stream_protocol;

class ScriptedBroker final : public wire::Broker::Server {
 public:
  ScriptedBroker(FakeServer& server, Script script) : server_(server), script_(std::move(script)) {}

  kj::Promise<void> hello(HelloContext context) override {
    convert::write_hello("fake", system_clock().now(), context.getResults());
    return run(script_.hello, context, hellos_);
  }
  kj::Promise<void> describeQueue(DescribeContext context) override {
    context.getResults().initQueue().initOptions();
    return run(script_.describe, context, describes_);
  }
  kj::Promise<void> sendBatch(SendContext context) override { return run(script_.send, context, sends_); }
  kj::Promise<void> receive(ReceiveContext context) override {
    context.getResults().initDeliveries(0);
    return run(script_.receive, context, receives_);
  }
  kj::Promise<void> ackBatch(AckContext context) override {
    context.getResults().initFailed(0);
    return run(script_.ack, context, acks_);
  }
  kj::Promise<void> extendBatch(ExtendContext context) override {
    context.getResults().initFailed(0);
    return run(script_.extend, context, extends_);
  }
  kj::Promise<void> startBatch(StartContext context) override {
    context.getResults().initFailed(0);
    return run(script_.start, context, begins_);
  }
  kj::Promise<void> releaseBatch(ReleaseContext context) override {
    context.getResults().initFailed(0);
    return run(script_.release, context, releases_);
  }
  kj::Promise<void> rejectBatch(RejectContext context) override {
    context.getResults().initFailed(0);
    return run(script_.reject, context, rejects_);
  }
  kj::Promise<void> redrive(RedriveContext context) override {
    return run(script_.redrive, context, redrives_);
  }
  kj::Promise<void> cancelRedrive(CancelRedriveContext context) override {
    return run(script_.cancel_redrive, context, cancelled_);
  }
  kj::Promise<void> authenticate(AuthenticateContext context) override {
    context.getResults().setBroker(thisCap());
    return kj::READY_NOW;
  }
  kj::Promise<void> subscribe(SubscribeContext context) override {
    return run(script_.subscribe, context, subscribes_);
  }
  kj::Promise<void> changeDeadLetters(ChangeContext context) override {
    return run(script_.change, context, changes_);
  }
  kj::Promise<void> discardDeadLetters(DiscardContext context) override {
    return run(script_.discard, context, discards_);
  }
  kj::Promise<void> listDeadLetters(ListContext context) override {
    return run(script_.list, context, lists_);
  }
  kj::Promise<void> backup(BackupContext context) override { return run(script_.backup, context, backups_); }
  kj::Promise<void> drain(DrainContext context) override { return run(script_.drain, context, drains_); }
  kj::Promise<void> drainStatus(DrainStatusContext context) override {
    return run(script_.drain_status, context, drain_statuses_);
  }
  kj::Promise<void> resume(ResumeContext context) override { return run(script_.resume, context, resumes_); }

 private:
  template <class Context>
  kj::Promise<void> run(const Handler<Context>& handler, Context& context, int& calls) {
    ++calls;
    if (!handler) return kj::READY_NOW;
    return handler(server_, context, calls);
  }

  FakeServer& server_;
  Script script_;
  int hellos_ = 0;
  int describes_ = 0;
  int sends_ = 0;
  int receives_ = 0;
  int acks_ = 0;
  int extends_ = 0;
  int begins_ = 0;
  int releases_ = 0;
  int rejects_ = 0;
  int redrives_ = 0;
  int cancelled_ = 0;
  int subscribes_ = 0;
  int changes_ = 0;
  int discards_ = 0;
  int lists_ = 0;
  int backups_ = 0;
  int drains_ = 0;
  int drain_statuses_ = 0;
  int resumes_ = 0;
};

}  // namespace

// The part of the server that lives on the loop's thread.
struct FakeServer::State final : std::enable_shared_from_this<State>, private kj::TaskSet::ErrorHandler {
  State(FakeServer& fake, transport::EventPort& event_port, Script script)
      : server(fake), port(event_port), broker(kj::heap<ScriptedBroker>(fake, std::move(script))) {}

  template <class Protocol>
  typename Protocol::endpoint listen(const typename Protocol::endpoint& endpoint) {
    auto acceptor = std::make_shared<typename Protocol::acceptor>(port.io(), endpoint);
    listening = acceptor;
    accept_next<Protocol>(*acceptor);
    return acceptor->local_endpoint();
  }

  template <class Protocol>
  void accept_next(typename Protocol::acceptor& acceptor) {
    acceptor.async_accept([&acceptor, weak = weak_from_this()](const boost::system::error_code& error,
                                                               typename Protocol::socket socket) {
      const auto state = weak.lock();
      if (error || !state) return;
      ++state->server.connections_;
      state->connections.push_back(kj::heap<transport::RpcConnection>(
          transport::make_message_socket(state->port, std::move(socket)), state->broker));
      state->accept_next<Protocol>(acceptor);
    });
  }

  // Breaks the connections later: a call of a connection must not end the connection from within.
  void break_connections() {
    tasks.add(kj::evalLater([this] { connections.clear(); }));
  }

  void taskFailed(kj::Exception&& exception) override { kj::throwFatalException(kj::mv(exception)); }

  FakeServer& server;
  transport::EventPort& port;
  wire::Broker::Client broker;
  std::shared_ptr<void> listening;
  std::vector<kj::Own<transport::RpcConnection>> connections;
  kj::TaskSet tasks{*this};
};

FakeServer::FakeServer(Script script, std::string_view address) {
  auto listen_at = must(transport::parse_address(address));
  loop_.call([&]() -> kj::Promise<void> {
    loop_.role.assert_held();
    state_ = std::make_shared<State>(*this, loop_.port(), std::move(script));
    if (listen_at.kind == Address::Kind::kUnix) {
      std::filesystem::remove(listen_at.path);
      state_->listen<Unix>(listen_at.path);
    } else {
      const auto host = boost::asio::ip::make_address(listen_at.host);
      listen_at.port = state_->listen<Tcp>({host, listen_at.port}).port();
    }
    return kj::READY_NOW;
  });
  address_ = to_string(listen_at);
}

FakeServer::~FakeServer() {
  loop_.call([this]() -> kj::Promise<void> {
    state_.reset();
    return kj::READY_NOW;
  });
}

kj::Promise<void> FakeServer::break_connections() {
  state_->break_connections();
  return kj::NEVER_DONE;
}

Client connect(const FakeServer& server, ClientOptions options) {
  options.reconnect_delay = std::chrono::microseconds(100);
  options.reconnect_delay_max = std::chrono::milliseconds(1);
  return must(Client::connect(server.address(), options));
}

}  // namespace holdfast::testing
