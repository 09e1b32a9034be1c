#include "server/http/json/json_fields.h"

#include <algorithm>
#include <map>

#include "engine/sync/mutex.h"
#include "holdfast/wire/error.capnp.h"
#include "holdfast/wire/message.capnp.h"

namespace holdfast::server {
namespace {

constexpr std::string_view kMicros = "Micros";

// These are the ids of the annotations of schema/json.capnp, for which Cap'n Proto generates no names.
constexpr std::uint64_t kTime = 0xb1d0f65a92c3e847;
constexpr std::uint64_t kHex = 0xe6a85b0c47d1f392;
constexpr std::uint64_t kPlace = 0xf3a97d1e5c4b6280;
constexpr std::uint64_t kOpaque = 0xc07e94f3b5a2d618;
constexpr std::uint64_t kRequired = 0xa8d35c1f60e7924b;

template <class Proto>
bool is_marked(const Proto& proto, std::uint64_t annotation) {
  for (auto mark : proto.getAnnotations()) {
    if (mark.getId() == annotation) return true;
  }
  return false;
}

std::string_view name_of(capnp::StructSchema::Field field) {
  const auto name = field.getProto().getName();
  return {name.begin(), name.size()};
}

bool is_void(capnp::StructSchema::Field field) { return field.getType().isVoid(); }

// Returns whether the group is a single union of one value and of fields without a value.
bool is_choice(capnp::StructSchema group) {
  if (group.getNonUnionFields().size() > 0 || group.getUnionFields().size() < 2) return false;
  unsigned values = 0;
  for (auto member : group.getUnionFields()) values += is_void(member) ? 0 : 1;
  return values == 1;
}

Shape shape_of_struct(capnp::StructSchema schema, bool is_group) {
  const std::uint64_t id = schema.getProto().getId();
  if (id == capnp::typeId<wire::MessageId>()) return Shape::kMessageId;
  if (id == capnp::typeId<wire::Receipt>()) return Shape::kReceipt;
  if (id == capnp::typeId<wire::Error>()) return Shape::kError;
  if (is_marked(schema.getProto(), kOpaque)) return Shape::kOpaque;
  return is_group && is_choice(schema) ? Shape::kChoice : Shape::kObject;
}

Shape shape_of(capnp::Type type, bool is_group) {
  switch (type.which()) {
    case capnp::schema::Type::VOID:
      return Shape::kNothing;
    case capnp::schema::Type::DATA:
      return Shape::kData;
    case capnp::schema::Type::LIST:
      return Shape::kList;
    case capnp::schema::Type::STRUCT:
      return shape_of_struct(type.asStruct(), is_group);
    case capnp::schema::Type::INTERFACE:
    case capnp::schema::Type::ANY_POINTER:
      return Shape::kNone;
    default:
      return Shape::kPlain;
  }
}

// Returns whether a number is in microseconds. Its own name says so, or the name of the union that it is the
// value of: `leaseMicros :union { keep :Void; set :Int64; }`.
bool is_in_micros(capnp::StructSchema::Field field) {
  if (name_of(field).ends_with(kMicros) || name_of(field) == "micros") return true;
  const std::string_view group(field.getContainingStruct().getProto().getDisplayName().cStr());
  return group.ends_with(kMicros) && field.getType().which() == capnp::schema::Type::INT64;
}

JsonField make_field(capnp::StructSchema::Field field) {
  const auto proto = field.getProto();
  JsonField made{.name = std::string(name_of(field)), .field = field};
  made.is_required = is_marked(proto, kRequired);
  made.shape = shape_of(field.getType(), proto.isGroup());
  if (made.shape == Shape::kList) made.element = shape_of(field.getType().asList().getElementType(), false);
  if (is_marked(proto, kHex)) made.shape = Shape::kHex;
  if (is_marked(proto, kPlace)) (made.shape == Shape::kList ? made.element : made.shape) = Shape::kPlace;
  if (!is_in_micros(field)) return made;
  const Shape in_micros = is_marked(proto, kTime) ? Shape::kTime : Shape::kDuration;
  if (made.shape == Shape::kList) made.element = in_micros;
  if (made.shape == Shape::kPlain) made.shape = in_micros;
  if (made.name.ends_with(kMicros)) made.name.resize(made.name.size() - kMicros.size());
  return made;
}

}  // namespace

const std::vector<JsonField>& json_fields(capnp::StructSchema schema) {
  static sync::Mutex mutex;
  static std::map<std::uint64_t, std::vector<JsonField>> known HOLDFAST_GUARDED_BY(mutex);
  const sync::Lock lock(mutex);
  const auto [place, is_new] = known.try_emplace(schema.getProto().getId());
  if (is_new) {
    for (auto field : schema.getFields()) place->second.push_back(make_field(field));
  }
  return place->second;
}

const JsonField* find_field(capnp::StructSchema schema, std::string_view name) {
  const auto& fields = json_fields(schema);
  const auto found = std::ranges::find_if(fields, [name](const JsonField& field) {
    if (name == field.name) return true;
    return name.ends_with("Base64") && name == field.name + "Base64" && holds_data(field);
  });
  return found == fields.end() ? nullptr : &*found;
}

bool holds_data(const JsonField& field) {
  if (field.shape != Shape::kChoice) return field.shape == Shape::kData;
  return value_of_choice(field.field.getType().asStruct()).shape == Shape::kData;
}

bool opens_in_query(const JsonField& field) {
  return field.shape == Shape::kObject &&
         (field.field.getProto().isGroup() || field.name == "filter" || field.name == "consumer");
}

bool is_list_of_objects(const JsonField& field) {
  return field.shape == Shape::kList && field.element == Shape::kObject;
}

const JsonField& value_of_choice(capnp::StructSchema group) {
  return *std::ranges::find_if(json_fields(group),
                               [](const JsonField& field) { return field.shape != Shape::kNothing; });
}

capnp::StructSchema::Field nothing_of_choice(capnp::StructSchema group) {
  return std::ranges::find(json_fields(group), Shape::kNothing, &JsonField::shape)->field;
}

}  // namespace holdfast::server
