// A server in this process, and clients of it that speak the protocol themselves.
#pragma once

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include <optional>
#include <sstream>
#include <string>

#include "holdfast/engine.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/transport/connect.h"
#include "schema/transport/rpc_connection.h"
#include "server/net/server.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/write_buffer.h"

namespace holdfast::server {

using namespace std::chrono_literals;
using namespace holdfast::testing;

// RawClient is one connection. Its calls give promises, so that a test can drop them.
class RawClient {
 public:
  explicit RawClient(kj::Own<transport::MessageSocket> socket)
      : rpc_(kj::heap<transport::RpcConnection>(kj::mv(socket))),
        broker_(rpc_->bootstrap().castAs<wire::Broker>()) {}

  wire::Broker::Client& broker() { return broker_; }
  kj::Promise<void> drained() { return rpc_->drained(); }
  kj::Promise<void> on_disconnect() { return rpc_->on_disconnect(); }

  kj::Promise<BatchResult<Sent>> send(std::string_view queue, const std::vector<Message>& messages) {
    auto request = broker_.sendBatchRequest();
    convert::write(queue, messages, {}, request);
    return request.send().then(
        [entries = messages.size()](auto reply) { return convert::read(reply, entries); });
  }

  kj::Promise<Result<Deliveries>> receive(std::string_view queue, const ReceiveOptions& options) {
    auto request = broker_.receiveRequest();
    convert::write(queue, options, request);
    return request.send().then([](auto reply) {
      auto deliveries = convert::read(reply, nullptr);
      if (deliveries) {
        for (auto& delivery : *deliveries) own_body(delivery);
      }
      return deliveries;
    });
  }

  kj::Promise<BatchResult<void>> ack(const std::vector<Receipt>& receipts) {
    auto request = broker_.ackBatchRequest();
    convert::write(receipts, SettleOptions{}, request);
    return request.send().then(
        [entries = receipts.size()](auto reply) { return convert::read(reply, entries); });
  }

 private:
  static void own_body(Delivery& delivery) {
    auto body = std::make_shared<std::string>(delivery.body);
    delivery.body = *body;
    delivery.storage = body;
  }

  kj::Own<transport::RpcConnection> rpc_;
  wire::Broker::Client broker_;
};

class ServerFixture : public ::testing::Test {
 protected:
  ServerFixture() {
    engine_.emplace(must(Engine::open(directory_ / "data", {.write_buffer_bytes = kWriteBufferBytes})));
  }
  ~ServerFixture() noexcept override = default;  // declared, because KJ's destructors may throw

  void start(ServerOptions options = {}) {
    if (options.listen == ServerOptions().listen) options.listen = {"127.0.0.1:0"};
    log_ =
        std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_));
    log_->set_level(spdlog::level::debug);
    options.log = log_;
    server_.emplace(must(Server::start(*engine_, std::move(options))));
  }

  transport::Address address() { return must(transport::parse_address(server_->addresses().front())); }
  std::unique_ptr<RawClient> connect() {
    return std::make_unique<RawClient>(transport::connect(port_, address()).wait(scope_));
  }

  // Runs the loop of the clients until the condition holds. It is for what the server does by itself.
  template <class Condition>
  void wait_until(Condition condition) {
    while (!condition()) port_.after(1ms).wait(scope_);
  }

  // Stops the server, and returns what it has logged.
  std::string log() {
    server_.reset();
    return log_text_.str();
  }

  TempDir directory_;
  std::optional<Engine> engine_;
  std::ostringstream log_text_;
  std::shared_ptr<spdlog::logger> log_;
  std::optional<Server> server_;

  transport::EventPort port_;
  kj::EventLoop loop_{port_};
  bool served_ = (port_.serve(loop_), true);
  kj::WaitScope scope_{loop_};
};

}  // namespace holdfast::server
