#include "server/logging/method_names.h"

#include <capnp/schema.h>

#include <algorithm>

#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::server {

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (auto method : capnp::Schema::from<wire::Broker>().getMethods()) {
    names.emplace_back(method.getProto().getName().cStr());
  }
  return names;
}

std::vector<bool> methods_named(std::initializer_list<std::string_view> names) {
  std::vector<bool> named;
  for (const std::string& name : method_names()) {
    named.push_back(std::ranges::find(names, name) != names.end());
  }
  return named;
}

}  // namespace holdfast::server
