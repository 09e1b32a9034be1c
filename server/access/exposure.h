// Checks who could reach an address on which a server listens.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string_view>

#include "schema/transport/address.h"
#include "server/options/server_options.h"

namespace holdfast::server {

// Returns the endpoint that a host's name leads to, the first one if there are several. Errors begin with
// `option`. kInvalidArgument.
Result<boost::asio::ip::tcp::endpoint> endpoint_of(const transport::Address& address,
                                                   std::string_view option);

// Checks an address. If other machines can reach it, it must have encryption and access control, or the
// options must allow it anyway. Errors begin with `option`. kInvalidArgument for an address that wants TLS if
// there is none; kPermissionDenied for an address that is too exposed.
Result<void> check_exposure(const transport::Address& address, const boost::asio::ip::tcp::endpoint& endpoint,
                            std::string_view option, const ServerOptions& options);

}  // namespace holdfast::server
