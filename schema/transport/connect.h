// Connecting to a server.
#pragma once

#include "transport/address.h"
#include "transport/message_socket.h"

namespace holdfast::transport {

// Tries every address that the host has. Rejected with a DISCONNECTED exception if none answers, FAILED if
// one is there that this process may not connect to. Dropping the promise gives up.
kj::Promise<kj::Own<MessageSocket>> connect(EventPort& port, const Address& address,
                                            const MessageSocketOptions& options = {});

}  // namespace holdfast::transport
