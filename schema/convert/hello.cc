#include "convert/hello.h"

#include <algorithm>

#include "convert/bytes.h"
#include "convert/error.h"
#include "convert/value.h"
#include "holdfast/limits.h"

namespace holdfast::convert {

void write_hello(std::string_view client, wire::HelloRequest::Builder to) {
  to.setProtocolVersion(wire::PROTOCOL_VERSION);
  set_text(to.initClient(static_cast<unsigned>(client.size())), client);
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
