// A Connection leads to a server that has answered hello.
#pragma once

#include <memory>
#include <string_view>

#include "client/common/server_time.h"
#include "client/connection/kept_frames.h"
#include "holdfast/error.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/hello_conversion.h"
#include "schema/tls/tls.h"
#include "schema/transport/address.h"
#include "schema/transport/rpc_connection.h"

namespace holdfast::client {

class Connection {
 public:
  // Connects and says hello. Dropping the promise gives up. Never rejected: it returns kUnavailable,
  // kPermissionDenied, or the error that the server answered.
  static kj::Promise<Result<std::unique_ptr<Connection>>> open(
      transport::EventPort& port, const transport::Address& address,
      const std::shared_ptr<transport::TlsContext>& tls, std::string_view client_name,
      const std::string& token, const convert::ClientConnections& connections);

  Connection(kj::Own<KeepingSocket> socket, std::shared_ptr<Frames> frames, std::uint64_t number);

  // Returns the number that its opener gave it.
  std::uint64_t number() const { return number_; }

  // Returns the server's time, as its hello said it.
  ServerTime& server_time() { return server_time_; }

  wire::Broker::Client& broker() { return broker_; }
  // Sets the broker that the server gave for the client's token.
  void set_broker(wire::Broker::Client broker) { broker_ = kj::mv(broker); }
  const std::shared_ptr<Frames>& frames() const { return frames_; }

  // Marks the connection as in use. A call holds the result for as long as it is under way.
  std::shared_ptr<void> use() const { return users_; }
  bool in_use() const { return users_.use_count() > 1; }

  std::uint64_t messages_received() const { return socket_.messages_received(); }
  kj::Promise<void> on_disconnect() { return rpc_.on_disconnect(); }

 private:
  const std::uint64_t number_;
  ServerTime server_time_;
  const std::shared_ptr<void> users_ = std::make_shared<bool>();
  std::shared_ptr<Frames> frames_;
  KeepingSocket& socket_;  // belongs to rpc_
  transport::RpcConnection rpc_;
  wire::Broker::Client broker_;
};

}  // namespace holdfast::client
