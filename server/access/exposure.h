// Who could reach an address that a server listens on.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string_view>

#include "schema/transport/address.h"
#include "server/options/server_options.h"

namespace holdfast::server {

// What a host's name leads to, the first if there are several. `option`: what errors begin with.
// kInvalidArgument.
Result<boost::asio::ip::tcp::endpoint> endpoint_of(const transport::Address& address,
                                                   std::string_view option);

// What other machines reach has to be encrypted and access controlled, or to be wanted all the same.
// `option`: what errors begin with. kInvalidArgument for one that wants TLS where there is none,
// kPermissionDenied.
Result<void> check_exposure(const transport::Address& address, const boost::asio::ip::tcp::endpoint& endpoint,
                            std::string_view option, const ServerOptions& options);

}  // namespace holdfast::server
