#include "schema/transport/rpc_connection.h"

#include <algorithm>

#include "holdfast/limits.h"

namespace holdfast::transport {
namespace {

// Room for kBatchBytes of bodies and attributes, or for a dead letter of the largest body with its original;
// for the pointers and padding around kBatchEntries messages with kAttributes each (about 20 MiB); and for
// new fields.
constexpr std::size_t kMessageBytes = 3 * limits::kBatchBytes;

}  // namespace

capnp::ReaderOptions reader_options() {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = kMessageBytes / sizeof(capnp::word);
  return options;
}

RpcConnection::RpcConnection(kj::Own<MessageSocket> socket)
    : socket_(kj::mv(socket)),
      network_(*socket_, Side::CLIENT, reader_options()),
      rpc_(capnp::makeRpcClient(network_)) {}

RpcConnection::RpcConnection(kj::Own<MessageSocket> socket, capnp::Capability::Client bootstrap)
    : socket_(kj::mv(socket)),
      network_(*socket_, Side::SERVER, reader_options()),
      rpc_(capnp::makeRpcServer(network_, kj::mv(bootstrap))) {}

capnp::Capability::Client RpcConnection::bootstrap() {
  capnp::MallocMessageBuilder message;
  auto vat = message.initRoot<capnp::rpc::twoparty::VatId>();
  vat.setSide(Side::SERVER);
  return rpc_.bootstrap(vat);
}

kj::Promise<void> RpcConnection::drained() {
  // It runs last, so that replies that are already on their way through the RPC layer reach the socket first.
  return kj::evalLast([this] { return socket_->drained(); }).then([this]() -> kj::Promise<void> {
    if (network_.getCurrentQueueCount() == 0) return kj::READY_NOW;
    // The network of Cap'n Proto 1 writes what it has queued when everything else has run, and of two that
    // wait for that moment the later one goes first. Another evalLast() at once would keep the network
    // waiting for ever.
    return socket_->idle().then([this] { return drained(); });
  });
}

kj::Promise<void> RpcConnection::close(kj::Own<RpcConnection> connection) {
  auto drained = connection->drained().catch_([](kj::Exception&&) {});
  return drained.then([connection = kj::mv(connection)]() mutable {
    auto socket = kj::mv(connection->socket_);
    connection = nullptr;
    return socket->linger().attach(kj::mv(socket));
  });
}

std::size_t RpcConnection::unsent_bytes() {
  // The socket may still hold messages that the network counts as sent.
  return std::max(network_.getCurrentQueueSize(), socket_->unsent_bytes());
}

}  // namespace holdfast::transport
