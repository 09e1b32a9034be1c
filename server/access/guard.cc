#include "server/access/guard.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/helpers/concealed_receipt.h"
#include "engine/engine/engine_inside.h"
#include "holdfast/limits.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/list.h"

namespace holdfast::server {
namespace {

using capnp::DynamicStruct;

std::string_view name_of(capnp::StructSchema::Field field) {
  const auto name = field.getProto().getName();
  return {name.begin(), name.size()};
}

// Collects the names of queues in a request: its subject, and the queues that messages of the subject would
// go to.
class NamedQueues {
 public:
  explicit NamedQueues(DynamicStruct::Reader request) {
    for (auto field : request.getSchema().getFields()) {
      const auto name = name_of(field);
      if (name == "queue" || name == "name") add(request.get(field));
    }
    look_into(request);
  }

  const std::vector<std::string>& names() const { return names_; }

  // Returns whether the field is set. A member of a union is set if it is the one that the request means.
  static bool holds(DynamicStruct::Reader from, capnp::StructSchema::Field field) {
    if (field.getProto().getDiscriminantValue() != capnp::schema::Field::NO_DISCRIMINANT) {
      KJ_IF_MAYBE (active, from.which()) {
        if (!(*active == field)) return false;
      }
    }
    return from.has(field);
  }

 private:
  void add(const capnp::DynamicValue::Reader& value) {
    const auto text = value.as<capnp::Text>();
    if (text.size() > 0) names_.emplace_back(text.begin(), text.size());
  }

  void look_into(DynamicStruct::Reader from) {
    for (auto field : from.getSchema().getFields()) {
      if (!holds(from, field)) continue;
      const auto name = name_of(field);
      if (name == "to" || name == "deadLetterQueue" || name == "parkingQueue") {
        target(from.get(field));
      } else if (name == "deadLetterRoutes") {
        routes(from.get(field));
      } else if (field.getType().isStruct()) {
        look_into(from.get(field).as<DynamicStruct>());
      }
    }
  }

  // Adds a queue from a field that is a name, or a choice between keeping and setting a name. The `to` of a
  // retry policy is neither, and names no queue.
  void target(const capnp::DynamicValue::Reader& value) {
    if (value.getType() == capnp::DynamicValue::TEXT) return add(value);
    if (value.getType() != capnp::DynamicValue::STRUCT) return;
    if (const auto set = chosen(value)) add(*set);
  }

  void routes(const capnp::DynamicValue::Reader& value) {
    if (value.getType() == capnp::DynamicValue::STRUCT) {
      if (const auto set = chosen(value)) routes(*set);
      return;
    }
    // The engine refuses a longer list. The conversion for the engine reads no more of it either, so no queue
    // goes unchecked.
    const auto list = value.as<capnp::DynamicList>();
    for (unsigned i = 0; i < convert::size_to_check(list, limits::kDeadLetterRoutes); ++i)
      add(list[i].as<DynamicStruct>().get("queue"));
  }

  static std::optional<capnp::DynamicValue::Reader> chosen(const capnp::DynamicValue::Reader& value) {
    const auto choice = value.as<DynamicStruct>();
    KJ_IF_MAYBE (active, choice.which()) {
      if (name_of(*active) == "set") return choice.get(*active);
    }
    return std::nullopt;
  }

  std::vector<std::string> names_;
};

// Calls `visit` for each filter of dead letters in a request.
template <class Visit>
void for_each_filter(DynamicStruct::Reader from, const Visit& visit) {
  for (auto field : from.getSchema().getFields()) {
    if (!field.getType().isStruct() || !NamedQueues::holds(from, field)) continue;
    const auto value = from.get(field).as<DynamicStruct>();
    if (value.getSchema() == capnp::Schema::from<wire::DeadLetterFilter>()) {
      visit(value.as<wire::DeadLetterFilter>());
    } else {
      for_each_filter(value, visit);
    }
  }
}

Error denied(const Rights& rights, const std::string& what) {
  const std::string who =
      rights.name.empty() ? "a client that did not say who it is" : "'" + rights.name + "'";
  return {ErrorCode::kPermissionDenied, who + " was not granted " + what};
}

Result<void> check_queue(const Rights& rights, const CallRule& rule, const std::string& queue) {
  if (!rights.know(queue)) {
    if (rights.grants.empty()) return tl::unexpected(denied(rights, "anything"));
    return fail(ErrorCode::kQueueNotFound, "no queue named '" + queue + "'");
  }
  if (rule.need == Need::kKnown || rights.allow(rule.right, queue)) return {};
  return tl::unexpected(denied(rights, "this on queue '" + queue + "'"));
}

// Checks the queue that a call may create. The answer is the same whether or not there is such a queue, so it
// tells nothing about queues of others.
Result<void> check_new_queue(const Rights& rights, const std::vector<std::string>& names) {
  if (names.empty() || rights.know(names.front())) return {};
  return tl::unexpected(denied(rights, "this on queue '" + names.front() + "'"));
}

// Checks that a filter does not ask for what is hidden: what it finds would tell.
Result<void> check_filter(const Rights& rights, wire::DeadLetterFilter::Reader filter) {
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::kPermissionDenied, "filter." + what + ": '" + rights.name +
                                                  "' may not see this field, so it may not filter by it");
  };
  const auto hides = [&](std::string_view name) {
    return std::ranges::find(rights.hidden.attributes, name) != rights.hidden.attributes.end();
  };
  if (rights.hidden.bodies && filter.getBody().size() > 0) return refuse("body");
  if (filter.hasCorrelationId() && hides(kCorrelationIdAttribute)) return refuse("correlation_id");
  if (filter.hasWorkflowVersion() && hides(kWorkflowVersionAttribute)) return refuse("workflow_version");
  // The conversion for the engine reads no more of them either.
  const auto attributes = filter.getAttributes();
  for (unsigned i = 0; i < convert::size_to_check(attributes, limits::kAttributes); ++i) {
    const auto text = attributes[i].getName();
    const std::string name(text.begin(), text.size());
    if (hides(name)) return refuse("attributes: '" + name + "'");
  }
  return {};
}

Result<void> check_filters(const Rights& rights, DynamicStruct::Reader request) {
  Result<void> result;
  for_each_filter(request, [&](wire::DeadLetterFilter::Reader filter) {
    if (result) result = check_filter(rights, filter);
  });
  return result;
}

Result<void> check_receipts(const Rights& rights, const CallRule& rule) {
  const bool some = std::ranges::any_of(rights.grants, [&](const Grant& grant) {
    return (grant.rights & static_cast<unsigned>(rule.right)) != 0;
  });
  return some ? Result<void>() : tl::unexpected(denied(rights, "this on any queue"));
}

}  // namespace

Result<void> check_call(const Rights& rights, const CallRule& rule, DynamicStruct::Reader request) {
  if (rule.content == Content::kWhole && !rights.hidden.empty()) {
    return fail(ErrorCode::kPermissionDenied,
                "'" + rights.name + "' may not see whole messages, which this call returns");
  }
  if (!rights.hidden.empty()) {
    if (auto ok = check_filters(rights, request); !ok) return ok;
  }
  if (rule.need == Need::kNothing || (rule.need == Need::kAny && !rights.grants.empty())) return {};
  if (rule.need == Need::kReceipts && !rights.grants.empty()) return check_receipts(rights, rule);
  if (rule.need == Need::kQueues || rule.need == Need::kKnown || rule.need == Need::kCreates) {
    const NamedQueues queues(request);
    if (rule.need == Need::kCreates) {
      if (auto ok = check_new_queue(rights, queues.names()); !ok) return ok;
    }
    for (const std::string& queue : queues.names()) {
      if (auto ok = check_queue(rights, rule, queue); !ok) return ok;
    }
    if (!queues.names().empty()) return {};
  }
  if (rights.allow_everywhere(rule.right)) return {};
  return tl::unexpected(denied(rights, rights.grants.empty() ? "anything" : "this on all queues"));
}

void conceal_others(const Rights& rights, std::span<Receipt> receipts, const Engine& engine) {
  std::optional<QueueId> last;
  bool hidden = false;
  for (Receipt& receipt : receipts) {
    if (last != receipt.queue) {
      last = receipt.queue;
      const auto name = EngineInside::queue_name(engine, receipt.queue);
      hidden = !name || !rights.allow(Right::kConsume, *name);
    }
    if (hidden) receipt.queue = concealed(receipt.queue);
  }
}

Result<void> check_import(const Rights& rights, std::string_view queue, std::span<const DeadLetter> letters) {
  const CallRule rule{Need::kQueues, Right::kAdminister, Content::kNone};
  for (const DeadLetter& letter : letters) {
    const std::string& source = letter.record.source_queue;
    if (letter.history || source.empty() || source == queue) continue;  // a history record is not redriven
    if (auto ok = check_queue(rights, rule, source); !ok) {
      return fail(ok.error().code,
                  "dead letter " + letter.id.to_string() + ": its source_queue: " + ok.error().message);
    }
  }
  return {};
}

Result<void> check_consume(const Rights& rights, const std::string& queue) {
  return check_queue(rights, {Need::kQueues, Right::kConsume, Content::kNone}, queue);
}

Result<void> check_search(const Rights& rights, std::span<const std::string> queues) {
  const CallRule rule{Need::kQueues, Right::kOperate, Content::kRedacted};
  for (const std::string& queue : queues) {
    if (auto ok = check_queue(rights, rule, queue); !ok) return ok;
  }
  return {};
}

Result<void> check_edit(const Rights& rights, const RedriveEdit& edit) {
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::kPermissionDenied,
                "edit." + what + ": '" + rights.name + "' may not see this field, so it may not change it");
  };
  if (rights.hidden.bodies && edit.body) return refuse("body");
  // The tests in a JSON patch would tell what the body contains.
  if (rights.hidden.bodies && !edit.json_patch.empty()) return refuse("json_patch");
  for (const std::string& name : rights.hidden.attributes) {
    if (std::ranges::find(edit.set_attributes, name, &Attribute::name) != edit.set_attributes.end())
      return refuse("set_attributes: '" + name + "'");
    if (std::ranges::find(edit.value_attributes, name, &ValueAttribute::name) != edit.value_attributes.end())
      return refuse("value_attributes: '" + name + "'");
    if (std::ranges::find(edit.drop_attributes, name) != edit.drop_attributes.end())
      return refuse("drop_attributes: '" + name + "'");
  }
  return {};
}

}  // namespace holdfast::server
