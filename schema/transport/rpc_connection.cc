#include "transport/rpc_connection.h"

#include "holdfast/limits.h"

namespace holdfast::transport {
namespace {

// kBatchBytes of bodies and attributes, the pointers and padding around kBatchEntries of them with
// kAttributes each (about 20 MiB), and room for new fields.
constexpr std::size_t kMessageBytes = 2 * limits::kBatchBytes;

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
  // Last, so that replies that are already on their way through the RPC layer get into the socket first.
  return kj::evalLast([this] { return socket_->drained(); }).then([this]() -> kj::Promise<void> {
    if (network_.getCurrentQueueCount() == 0) return kj::READY_NOW;
    return drained();
  });
}

}  // namespace holdfast::transport
