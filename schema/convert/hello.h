// hello.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/time.h"
#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::convert {

struct ServerInfo {
  std::uint32_t protocol_version = 0;
  std::string version;
  Timestamp time{};
};

void write_hello(std::string_view client, wire::HelloRequest::Builder to);
// The client's name for itself, for the log: cut to 256 bytes, without control characters.
std::string client_name(wire::HelloRequest::Reader from);

// Fills in this version's protocol and limits.
void write_hello(std::string_view server_version, Timestamp time, wire::HelloReply::Builder to);
Result<ServerInfo> read(wire::HelloReply::Reader from);

}  // namespace holdfast::convert
