#include "schema/protocol/protocol_methods.h"

#include <algorithm>
#include <map>

#include "engine/base/helpers/check.h"
#include "holdfast/wire/holdfast.capnp.h"

namespace holdfast::protocol {
namespace {

using Method = capnp::InterfaceSchema::Method;

// Calls come often, so all that is asked for is worked out once.
struct Methods {
  // The methods of one interface have numbers that follow one another.
  struct Interface {
    std::uint64_t id;
    std::uint16_t first;
    std::uint16_t count;
  };

  std::vector<Method> all;
  std::vector<Interface> interfaces;
  std::map<std::string_view, std::uint16_t> by_name;  // the names are part of the compiled schema

  Methods() {
    const auto broker = capnp::Schema::from<wire::Broker>();
    add(broker);
    for (const auto extended : broker.getSuperclasses()) add(extended);
  }

 private:
  void add(capnp::InterfaceSchema interface) {
    const auto first = static_cast<std::uint16_t>(all.size());
    for (const auto method : interface.getMethods()) {
      const auto name = method.getProto().getName();
      const bool is_new =
          by_name.emplace(std::string_view(name.begin(), name.size()), static_cast<std::uint16_t>(all.size()))
              .second;
      HOLDFAST_CHECK(is_new, "no two methods of the protocol have one name");
      all.push_back(method);
    }
    interfaces.push_back(
        {interface.getProto().getId(), first, static_cast<std::uint16_t>(all.size() - first)});
  }
};

const Methods& made() {
  static const Methods methods;
  return methods;
}

}  // namespace

const std::vector<Method>& methods() { return made().all; }

std::optional<std::uint16_t> find_method_number(std::uint64_t interface_id, std::uint16_t ordinal) {
  const auto& interfaces = made().interfaces;
  const auto found = std::ranges::find(interfaces, interface_id, &Methods::Interface::id);
  if (found == interfaces.end() || ordinal >= found->count) return std::nullopt;
  return static_cast<std::uint16_t>(found->first + ordinal);
}

std::uint16_t method_number(std::string_view name) {
  const auto found = made().by_name.find(name);
  HOLDFAST_CHECK(found != made().by_name.end(), "the protocol has a method of this name");
  return found->second;
}

}  // namespace holdfast::protocol
