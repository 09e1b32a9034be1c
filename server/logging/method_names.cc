#include "server/logging/method_names.h"

#include <limits>

#include "schema/protocol/protocol_methods.h"

namespace holdfast::server {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (auto method : protocol::methods()) {
    names.emplace_back(method.getProto().getName().cStr());
  }
  names.emplace_back("streamEvents");
  return names;
}

std::uint16_t name_of_method(std::uint16_t number) {
  return number < name_of_event_stream() ? number : std::numeric_limits<std::uint16_t>::max();
}

std::uint16_t name_of_event_stream() { return static_cast<std::uint16_t>(protocol::methods().size()); }

}  // namespace holdfast::server
