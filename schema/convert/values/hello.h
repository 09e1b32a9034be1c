// hello.
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

// A connection, as its client calls it: see HelloRequest.session.
struct ConnectionName {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::uint64_t number = 0;

  friend auto operator<=>(const ConnectionName&, const ConnectionName&) = default;
};

// What a client says of its connections.
struct ClientConnections {
  ConnectionName present = {};
  std::vector<std::uint64_t> lost = {};  // the numbers of others
};

// The rest is ignored.
inline constexpr std::size_t kLostConnections = 64;

void write_hello(std::string_view client, const ClientConnections& connections,
                 wire::HelloRequest::Builder to);
// The client's name for itself, for the log: cut to 256 bytes, without control characters.
std::string client_name(wire::HelloRequest::Reader from);
// At most kLostConnections of those that are lost. Nothing if the client does not say.
std::optional<ClientConnections> client_connections(wire::HelloRequest::Reader from);

// Fills in this version's protocol and limits.
void write_hello(std::string_view server_version, Timestamp time, wire::HelloReply::Builder to);
Result<ServerInfo> read(wire::HelloReply::Reader from);

}  // namespace holdfast::convert
