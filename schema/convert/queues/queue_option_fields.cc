// Converts a queue's options. In the protocol each option is a field with the name that the table of the
// options has, both in the options and in changes to them.
#include <capnp/dynamic.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/options/queue_option_table.h"
#include "holdfast/limits.h"
#include "schema/convert/queues/policy_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/queues/queue_options_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

using capnp::DynamicStruct;
using Field = capnp::StructSchema::Field;

// The types of options in the protocol that are structs or lists.
template <class T>
struct WireType;
template <>
struct WireType<AutoRedrive> : std::type_identity<wire::AutoRedrive> {};
template <>
struct WireType<AlertRules> : std::type_identity<wire::AlertRules> {};
template <>
struct WireType<FloodBrake> : std::type_identity<wire::FloodBrake> {};
template <>
struct WireType<DeadLetterSources> : std::type_identity<wire::DeadLetterSources> {};
template <>
struct WireType<RetryPolicy> : std::type_identity<wire::RetryPolicy> {};
template <>
struct WireType<JournalOptions> : std::type_identity<wire::JournalOptions> {};
template <>
struct WireType<std::vector<DeadLetterRoute>> : std::type_identity<capnp::List<wire::DeadLetterRoute>> {};
template <>
struct WireType<std::vector<std::string>> : std::type_identity<capnp::List<capnp::Text>> {};
template <>
struct WireType<Tags> : std::type_identity<capnp::List<wire::Tag>> {};

template <class T>
concept WireList = requires(T value) {
  typename WireType<T>::type;
  value.size();
};
template <class T>
concept WireStruct = requires {
  typename WireType<T>::type;
}
&&!WireList<T>;

// Returns the field's name: "keepUnresolvedMicros" for keep_unresolved, which is a duration.
template <class T>
std::string wire_name(const QueueOption<T>& option) {
  std::string name;
  bool upper = false;
  for (const char c : option.name) {
    if (c != '_') name += upper ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '_';
  }
  return std::is_same_v<T, Duration> ? name + "Micros" : name;
}

// Returns the fields of a wire::QueueOptions or a wire::AlterQueueRequest that are options, in the table's
// order.
template <class Wire>
const std::vector<Field>& option_fields() {
  static const std::vector<Field> fields = [] {
    const capnp::StructSchema schema = capnp::Schema::from<Wire>();
    std::vector<Field> all;
    for_each_option([&](const auto& option) { all.push_back(schema.getFieldByName(wire_name(option))); });
    return all;
  }();
  return fields;
}

// Calls visit(option, field) for each option and its field in a `Wire`.
template <class Wire, class Visit>
void for_each_field(const Visit& visit) {
  auto field = option_fields<Wire>().begin();
  for_each_option([&](const auto& option) { visit(option, *field++); });
}

// Returns the field `set` of a change, which is `:union { keep :Void; set :T; }`.
Field set_of(Field change) { return change.getType().asStruct().getFieldByName("set"); }

template <class T>
void put(const T& from, DynamicStruct::Builder to, Field field) {
  if constexpr (std::is_same_v<T, Duration>) {
    to.set(field, from.count());
  } else if constexpr (std::is_same_v<T, std::string>) {
    to.set(field, as_text(from));
  } else if constexpr (std::is_enum_v<T>) {
    to.set(field, capnp::DynamicEnum(field.getType().asEnum(), static_cast<std::uint16_t>(from)));
  } else if constexpr (WireList<T>) {
    convert::write(
        from, to.init(field, static_cast<unsigned>(from.size())).template as<typename WireType<T>::type>());
  } else if constexpr (WireStruct<T>) {
    convert::write(from, to.init(field).template as<typename WireType<T>::type>());
  } else {
    to.set(field, from);
  }
}

// Returns whether the value may be left out, since an absent one reads as the same. The other policies are
// always written, for readers of JSON.
template <class T>
bool goes_without_saying(const T& value) {
  if constexpr (WireList<T>) return value.empty();
  if constexpr (std::is_same_v<T, RetryPolicy> || std::is_same_v<T, JournalOptions>) return value == T{};
  return false;
}

template <OptionEnum T>
Result<T> take_enum(capnp::DynamicEnum from, const std::string& name) {
  const auto value = static_cast<T>(from.getRaw());
  // The protocol's field has more bits. Cutting them off must not make a known value of an unknown one.
  if (static_cast<std::uint16_t>(value) == from.getRaw() && is_known(value)) return value;
  return fail(ErrorCode::kInvalidArgument, name + ": unknown value " + std::to_string(from.getRaw()));
}

template <class T>
Result<T> take(DynamicStruct::Reader from, Field field, const std::string& name) {
  const capnp::DynamicValue::Reader value = from.get(field);
  if constexpr (std::is_same_v<T, Duration>) {
    return Duration(value.as<Duration::rep>());
  } else if constexpr (std::is_same_v<T, std::string>) {
    return string(value.as<capnp::Text>());
  } else if constexpr (std::is_enum_v<T>) {
    return take_enum<T>(value.as<capnp::DynamicEnum>(), name);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return convert::read(value.as<capnp::List<capnp::Text>>(), limits::kSearchedAttributes);
  } else if constexpr (WireList<T> || WireStruct<T>) {
    return convert::read(value.as<typename WireType<T>::type>());
  } else {
    return value.as<T>();
  }
}

template <class T>
Result<void> take_into(T& to, DynamicStruct::Reader from, Field field, const std::string& name) {
  auto value = take<T>(from, field, name);
  if (!value) return tl::unexpected(value.error());
  to = std::move(*value);
  return {};
}

struct BoundedField {
  Field field;
  OptionBounds<std::int64_t> bounds;
};

template <BoundedOption T>
std::int64_t wire_number(T value) {
  if constexpr (std::is_same_v<T, Duration>) {
    return value.count();
  } else {
    return static_cast<std::int64_t>(value);
  }
}

// Adds the fields of a `Wire` whose options have bounds.
template <class Wire>
void add_bounded(std::vector<BoundedField>& to) {
  for_each_field<Wire>([&]<class T>(const QueueOption<T>& option, Field field) {
    if constexpr (BoundedOption<T>) {
      if (!option.bounds) return;
      const bool is_change = field.getProto().isGroup();
      to.push_back({.field = is_change ? set_of(field) : field,
                    .bounds = {wire_number(option.bounds->min), wire_number(option.bounds->max)}});
    }
  });
}

bool is_chosen(DynamicStruct::Reader choice, Field member) {
  KJ_IF_MAYBE (chosen, choice.which()) return *chosen == member;
  return false;
}

}  // namespace

void write(const QueueOptions& from, wire::QueueOptions::Builder to) {
  const DynamicStruct::Builder options(to);
  for_each_field<wire::QueueOptions>([&](const auto& option, Field field) {
    const auto& value = option.place(from);
    if (!goes_without_saying(value)) put(value, options, field);
  });
}

Result<QueueOptions> read(wire::QueueOptions::Reader from) {
  QueueOptions options;
  Result<void> read;
  for_each_field<wire::QueueOptions>([&](const auto& option, Field field) {
    if (read) read = take_into(option.place(options), from, field, "options." + std::string(option.name));
  });
  if (!read) return tl::unexpected(read.error());
  return options;
}

void write(std::string_view name, const QueueChanges& changes, MissingQueues missing,
           wire::AlterQueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
  to.setCreateMissing(missing == MissingQueues::kCreate);
  DynamicStruct::Builder request(to);
  for_each_field<wire::AlterQueueRequest>([&](const auto& option, Field field) {
    const auto& change = option.place(changes);
    if (change) put(*change, request.get(field).as<DynamicStruct>(), set_of(field));
  });
}

Result<AlterQueueCall> read(wire::AlterQueueRequest::Reader from) {
  AlterQueueCall call{.name = view(from.getName()),
                      .changes = {},
                      .missing = from.getCreateMissing() ? MissingQueues::kCreate : MissingQueues::kRefuse};
  const DynamicStruct::Reader request(from);
  Result<void> read;
  for_each_field<wire::AlterQueueRequest>([&](const auto& option, Field field) {
    const auto choice = request.get(field).as<DynamicStruct>();
    if (!read || !is_chosen(choice, set_of(field))) return;
    auto& change = option.place(call.changes);
    read = take_into(change.emplace(), choice, set_of(field), std::string(option.name));
  });
  if (!read) return tl::unexpected(read.error());
  return call;
}

std::optional<OptionBounds<std::int64_t>> bounds_of(Field field) {
  static const std::vector<BoundedField> bounded = [] {
    std::vector<BoundedField> all;
    add_bounded<wire::QueueOptions>(all);
    add_bounded<wire::AlterQueueRequest>(all);
    return all;
  }();
  const auto found = std::ranges::find(bounded, field, &BoundedField::field);
  return found == bounded.end() ? std::nullopt : std::optional(found->bounds);
}

}  // namespace holdfast::convert
