#include "server/calls/refused_repetition.h"

#include "engine/engine/engine_inside.h"

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

std::optional<Error> of_repetition(Engine& engine, const std::string& request_id, const Error& refusal) {
  if (request_id.empty()) return std::nullopt;
  const auto known = EngineInside::knows_request(engine, request_id);
  if (!known || !*known) return std::nullopt;
  return Error{ErrorCode::kOutcomeUnknown,
               "a call was made under this request id, and its answer is only for callers with the right to "
               "make it: " +
                   to_string(refusal)};
}

}  // namespace holdfast::server
