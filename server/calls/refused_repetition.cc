#include "server/calls/refused_repetition.h"

#include "holdfast/redrive.h"

namespace holdfast::server {

std::string request_id_in(capnp::DynamicStruct::Reader arguments) {
  for (auto field : arguments.getSchema().getFields()) {
    if (field.getProto().getName() == "requestId") {
      const auto id = arguments.get(field).as<capnp::Text>();
      return {id.begin(), id.size()};
    }
    // The request id of a redrive is among its options.
    if (field.getProto().getName() == "options" && field.getType().isStruct() && arguments.has(field))
      return request_id_in(arguments.get(field).as<capnp::DynamicStruct>());
  }
  return {};
}

// The engine looks a request id up before anything else, and refuses the id to a call that differs from the
// first one. So the engine is asked with a call that equals no other one and does nothing: no queue has the
// empty name.
std::optional<Error> of_repetition(Engine& engine, const std::string& request_id, const Error& refusal) {
  if (request_id.empty()) return std::nullopt;
  const auto asked = engine.redrive("", {.wait = false, .request_id = request_id});
  if (asked || asked.error().code != ErrorCode::kInvalidArgument) return std::nullopt;
  return Error{ErrorCode::kOutcomeUnknown,
               "a call was made under this request id, and its answer is only for callers with the right to "
               "make it: " +
                   to_string(refusal)};
}

}  // namespace holdfast::server
