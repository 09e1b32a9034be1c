// Connecting to a server.
#pragma once

#include "schema/tls/tls.h"
#include "schema/transport/address.h"
#include "schema/transport/message_socket.h"

namespace holdfast::transport {

// Tries every address that the host has. Rejected with a DISCONNECTED exception if none answers,
// UNIMPLEMENTED if the one that does speaks no TLS, FAILED if this process may not connect to it or one of
// the certificates is not good. Dropping the promise gives up. `tls`: for addresses that want it.
kj::Promise<kj::Own<MessageSocket>> connect(EventPort& port, const Address& address,
                                            const std::shared_ptr<TlsContext>& tls = nullptr);

}  // namespace holdfast::transport
