#include "client/connection/connection.h"

#include <kj/debug.h>

#include <algorithm>
#include <string_view>

#include "client/connection/translate.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/hello_conversion.h"
#include "schema/tls/tls_failure.h"
#include "schema/transport/connect.h"

namespace holdfast::client {
namespace {

using Opened = Result<std::unique_ptr<Connection>>;

Opened checked(const Result<convert::ServerInfo>& server, std::unique_ptr<Connection> connection) {
  if (!server) return tl::unexpected(server.error());
  if (server->protocol_version < wire::PROTOCOL_VERSION) {
    return fail(ErrorCode::kUnavailable, "the server speaks protocol version " +
                                             std::to_string(server->protocol_version) + ", not " +
                                             std::to_string(wire::PROTOCOL_VERSION));
  }
  connection->server_time().set(server->time);
  return connection;
}

kj::Promise<Opened> say_hello(std::unique_ptr<Connection> connection, std::string_view client_name,
                              const convert::ClientConnections& connections) {
  auto request = connection->broker().helloRequest();
  convert::write_hello(client_name, connections, request);
  return request.send().then(
      [connection = kj::mv(connection)](capnp::Response<wire::HelloReply>&& reply) mutable {
        return checked(convert::read(reply), kj::mv(connection));
      });
}

kj::Promise<Opened> say_who(Opened opened, const std::string& token) {
  if (!opened || token.empty()) return opened;
  auto request = (*opened)->broker().authenticateRequest();
  request.setToken(convert::as_text(token));
  return request.send().then(
      [connection = *kj::mv(opened)](capnp::Response<wire::AuthenticateReply>&& reply) mutable -> Opened {
        if (reply.isError()) return tl::unexpected(convert::read(reply.getError()));
        connection->set_broker(reply.getBroker());
        return kj::mv(connection);
      });
}

// Adds advice to the text of a connection's end. If a server has no place for a client, it hangs up before it
// reads anything, so it cannot say why. The texts identify such an end whatever type the exception has become
// on its way.
std::string with_advice(std::string what) {
  constexpr std::string_view kEnds[] = {"Peer disconnected", "connection lost", "the other side hung up"};
  const bool hung_up =
      std::ranges::any_of(kEnds, [&](std::string_view end) { return what.starts_with(end); });
  if (!hung_up) return what;
  return "the server hung up before it answered; it may be at its connection limit (see its log), or about "
         "to end: try again (" +
         what + ")";
}

}  // namespace

Connection::Connection(kj::Own<KeepingSocket> socket, std::shared_ptr<Frames> frames, std::uint64_t number)
    : number_(number),
      frames_(std::move(frames)),
      socket_(*socket),
      rpc_(kj::mv(socket)),
      broker_(rpc_.bootstrap().castAs<wire::Broker>()) {}

kj::Promise<Opened> Connection::open(transport::EventPort& port, const transport::Address& address,
                                     const std::shared_ptr<transport::TlsContext>& tls,
                                     std::string_view client_name, const std::string& token,
                                     const convert::ClientConnections& connections) {
  auto greet = [client_name, token, connections](kj::Own<transport::MessageSocket> socket) {
    auto frames = std::make_shared<Frames>();
    auto keeping = kj::heap<KeepingSocket>(kj::mv(socket), frames);
    auto connection = std::make_unique<Connection>(kj::mv(keeping), frames, connections.present.number);
    return say_hello(std::move(connection), client_name, connections).then([token](Opened opened) {
      return say_who(kj::mv(opened), token);
    });
  };
  auto failed = [](kj::Exception&& e) -> Opened {
    const bool refused = transport::is_tls_failure(e);
    return fail(refused ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable,
                with_advice(description_of(e)));
  };
  auto not_connected = [](kj::Exception&& e) -> kj::Promise<Opened> {
    const bool refused = e.getType() == kj::Exception::Type::FAILED;
    return Opened(fail(refused ? ErrorCode::kPermissionDenied : ErrorCode::kUnavailable, description_of(e)));
  };
  return transport::connect(port, address, tls)
      .then(kj::mv(greet), kj::mv(not_connected))
      .catch_(kj::mv(failed));
}

}  // namespace holdfast::client
