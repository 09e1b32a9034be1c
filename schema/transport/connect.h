// Connects to a server.
#pragma once

#include "schema/tls/tls.h"
#include "schema/transport/address.h"
#include "schema/transport/message_socket.h"

namespace holdfast::transport {

// Tries every address of the host. Rejected with DISCONNECTED if none answers, with UNIMPLEMENTED if the one
// that answers does not speak TLS, and with FAILED if this process may not connect or a certificate is not
// good. Dropping the promise gives up. `tls` is needed for addresses with TLS.
kj::Promise<kj::Own<MessageSocket>> connect(EventPort& port, const Address& address,
                                            const std::shared_ptr<TlsContext>& tls = nullptr);

}  // namespace holdfast::transport
