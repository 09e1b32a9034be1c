#include "server/logging/method_names.h"

#include <capnp/schema.h>

#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::server {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (auto method : capnp::Schema::from<wire::Broker>().getMethods()) {
    names.emplace_back(method.getProto().getName().cStr());
  }
  return names;
}

}  // namespace holdfast::server
