#include "server/calls/methods.h"

#include <vector>

#include "engine/base/helpers/check.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/protocol/protocol_methods.h"

namespace holdfast::server {
namespace {

Method subscribe() {
  return {.name = "subscribe",
          .rule = {Need::kQueues, Right::kConsume, Content::kWhole},
          .traits = {.begins_work = true},
          .params = capnp::typeId<wire::SubscribeRequest>(),
          .reply = capnp::typeId<wire::SubscribeReply>(),
          .handler = nullptr};
}

std::vector<Method> all_methods() {
  std::vector<Method> all = {subscribe()};
  for (const auto methods :
       {greeting_methods(), queue_methods(), message_methods(), settle_methods(), dead_letter_methods(),
        triage_methods(), redrive_methods(), operations_methods(), drain_methods()})
    all.insert(all.end(), methods.begin(), methods.end());
  return all;
}

std::vector<Method> by_number() {
  const std::vector<Method> all = all_methods();
  const auto& declared = protocol::methods();
  HOLDFAST_CHECK(all.size() == declared.size(), "each method of the protocol is in the table once");
  std::vector<Method> methods(declared.size());
  for (const Method& method : all) {
    const std::uint16_t number = protocol::method_number(method.name);
    const auto found = declared[number];
    HOLDFAST_CHECK(found.getParamType().getProto().getId() == method.params &&
                       found.getResultType().getProto().getId() == method.reply,
                   "a handler takes and gives what its method does");
    Method& place = methods[number];
    HOLDFAST_CHECK(place.name.empty(), "no method is in the table twice");
    place = method;
  }
  return methods;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> table = by_number();
  return table;
}

}  // namespace

const Method* find_method(std::uint16_t number) {
  return number < methods().size() ? &methods()[number] : nullptr;
}

}  // namespace holdfast::server
