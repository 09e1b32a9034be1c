#include "server/logging/method_names.h"

#include <capnp/schema.h>

#include <limits>

#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::server {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (auto method : capnp::Schema::from<wire::Broker>().getMethods()) {
    names.emplace_back(method.getProto().getName().cStr());
  }
  names.emplace_back("streamEvents");
  return names;
}

std::uint16_t name_of_method(std::uint16_t ordinal) {
  return ordinal < name_of_event_stream() ? ordinal : std::numeric_limits<std::uint16_t>::max();
}

std::uint16_t name_of_event_stream() {
  static const auto number =
      static_cast<std::uint16_t>(capnp::Schema::from<wire::Broker>().getMethods().size());
  return number;
}

}  // namespace holdfast::server
