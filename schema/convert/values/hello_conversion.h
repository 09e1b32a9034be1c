// Converts hello between the API and the protocol.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::convert {

struct ServerInfo {
  std::uint32_t protocol_version = 0;
  std::string version;
  Timestamp time{};
};

// ConnectionName is the name that a client gives a connection of its own (HelloRequest.session).
struct ConnectionName {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const ConnectionName&, const ConnectionName&) = default;
};

// ClientConnections are what a client says about its connections.
struct ClientConnections {
  ConnectionName present = {};
  std::vector<std::uint64_t> lost = {};  // the numbers of connections that are lost
};

// kLostConnections is the most lost connections that are read; further ones are ignored.
inline constexpr std::size_t kLostConnections = 64;

void write_hello(std::string_view client, const ClientConnections& connections,
                 wire::HelloRequest::Builder to);
// Returns the client's name for itself, for the log, cut to 256 bytes and without control characters.
std::string client_name(wire::HelloRequest::Reader from);
// Returns at most kLostConnections of the connections that are lost. Returns nothing if the client does not
// tell its connections.
std::optional<ClientConnections> client_connections(wire::HelloRequest::Reader from);

// Writes a reply with this version's protocol and limits.
void write_hello(std::string_view server_version, Timestamp time, wire::HelloReply::Builder to);
Result<ServerInfo> read(wire::HelloReply::Reader from);

}  // namespace holdfast::convert
