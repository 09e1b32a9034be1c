#include "schema/convert/values/hello_conversion.h"

#include <algorithm>

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {

void write_hello(std::string_view client, const ClientConnections& connections,
                 wire::HelloRequest::Builder to) {
  to.setProtocolVersion(wire::PROTOCOL_VERSION);
  set_text(to.initClient(static_cast<unsigned>(client.size())), client);
  auto session = to.initSession();
  session.setHigh(connections.present.high);
  session.setLow(connections.present.low);
  session.setConnection(connections.present.number);
  auto lost = session.initLost(static_cast<unsigned>(connections.lost.size()));
  for (unsigned i = 0; i < lost.size(); ++i) lost.set(i, connections.lost[i]);
}

std::optional<ClientConnections> client_connections(wire::HelloRequest::Reader from) {
  const auto session = from.getSession();
  if (session.getHigh() == 0 && session.getLow() == 0) return std::nullopt;
  ClientConnections connections{
      .present = {.high = session.getHigh(), .low = session.getLow(), .number = session.getConnection()}};
  for (const std::uint64_t number : session.getLost()) {
    if (connections.lost.size() == kLostConnections) break;
    connections.lost.push_back(number);
  }
  return connections;
}

std::string client_name(wire::HelloRequest::Reader from) {
  constexpr std::size_t kMostBytes = 256;
  std::string name(view(from.getClient()).substr(0, kMostBytes));
  std::ranges::replace_if(
      name, [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
  return name;
}

void write_hello(std::string_view server_version, Timestamp time, wire::HelloReply::Builder to) {
  auto ok = to.initOk();
  ok.setProtocolVersion(wire::PROTOCOL_VERSION);
  set_text(ok.initServerVersion(static_cast<unsigned>(server_version.size())), server_version);
  ok.setTimeMicros(micros(time));
  auto limits = ok.initLimits();
  limits.setBodyBytes(limits::kBodyBytesMax);
  limits.setBatchEntries(limits::kBatchEntries);
  limits.setBatchBytes(limits::kBatchBytes);
  limits.setReceiveMax(limits::kReceiveMax);
  limits.setListPage(limits::kListPage);
  limits.setWaitMicros(limits::kWaitMax / Duration(1));
}

Result<ServerInfo> read(wire::HelloReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return ServerInfo{.protocol_version = ok.getProtocolVersion(),
                    .version = string(ok.getServerVersion()),
                    .time = timestamp(ok.getTimeMicros())};
}

}  // namespace holdfast::convert
