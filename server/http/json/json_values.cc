#include "server/http/json/json_values.h"

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/helpers/base64.h"
#include "engine/base/helpers/utf8.h"
#include "engine/base/time_text.h"
#include "engine/codec/encoding/request_json.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/value.h"
#include "server/http/json/json_fields.h"

namespace holdfast::server {
namespace {

using capnp::DynamicList;
using capnp::DynamicStruct;
using capnp::DynamicValue;
namespace types = capnp::schema;

constexpr double kMicrosInSecond = 1e6;
constexpr int kHexDigits = 16;

// --- reading ---

// Says where in the request a value is. Errors contain it.
struct Where {
  std::string path;

  Where member(std::string_view name) const {
    return {path.empty() ? std::string(name) : path + "." + std::string(name)};
  }
  Where element(std::size_t index) const { return {path + "[" + std::to_string(index) + "]"}; }

  tl::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorCode::kInvalidArgument, (path.empty() ? "the body" : path) + ": " + std::string(what));
  }
};

Result<DynamicValue::Reader> read_integer(const Json& from, types::Type::Which type, const Where& where) {
  const auto in_range = [&](auto limits) -> Result<DynamicValue::Reader> {
    using Number = decltype(limits);
    if (!from.is_number_integer()) return where.wrong("is not a whole number");
    const bool negative = !from.is_number_unsigned() && from.get<std::int64_t>() < 0;
    if constexpr (std::is_unsigned_v<Number>) {
      if (!negative && from.get<std::uint64_t>() <= std::numeric_limits<Number>::max())
        return DynamicValue::Reader(from.get<Number>());
    } else {
      if (negative
              ? from.get<std::int64_t>() >= std::numeric_limits<Number>::min()
              : from.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max()))
        return DynamicValue::Reader(from.get<Number>());
    }
    return where.wrong("is out of the range of its type");
  };
  switch (type) {
    case types::Type::INT64:
      return in_range(std::int64_t{});
    case types::Type::UINT64:
      return in_range(std::uint64_t{});
    case types::Type::UINT32:
      return in_range(std::uint32_t{});
    default:
      return in_range(std::uint16_t{});
  }
}

Result<DynamicValue::Reader> read_plain(const Json& from, capnp::Type type, const Where& where) {
  if (type.isBool()) {
    if (!from.is_boolean()) return where.wrong("is neither true nor false");
    return DynamicValue::Reader(from.get<bool>());
  }
  if (type.isText()) {
    if (from.is_null()) return DynamicValue::Reader(capnp::Text::Reader(""));
    if (!from.is_string()) return where.wrong("is not a text");
    const auto& text = from.get_ref<const std::string&>();
    return DynamicValue::Reader(capnp::Text::Reader(text.c_str(), text.size()));
  }
  if (type.isFloat64()) {
    if (!from.is_number()) return where.wrong("is not a number");
    return DynamicValue::Reader(from.get<double>());
  }
  if (!type.isEnum()) return read_integer(from, type.which(), where);
  if (!from.is_string()) return where.wrong("is not a text");
  const auto& name = from.get_ref<const std::string&>();
  KJ_IF_MAYBE (enumerant, type.asEnum().findEnumerantByName(name)) {
    return DynamicValue::Reader(capnp::DynamicEnum(*enumerant));
  }
  return where.wrong("'" + name + "' is not one of its values");
}

Result<std::int64_t> read_duration(const Json& from, const Where& where) {
  if (from.is_string()) {
    const auto duration = parse_duration(from.get_ref<const std::string&>());
    if (!duration) return where.wrong(duration.error().message);
    return duration->count();
  }
  if (!from.is_number()) return where.wrong("is neither a number of seconds nor a text such as 30s");
  const double micros = std::round(from.get<double>() * kMicrosInSecond);
  constexpr double kMost = 9.2e18;
  if (!(std::abs(micros) < kMost)) return where.wrong("is longer than a duration can be");
  return static_cast<std::int64_t>(micros);
}

Result<std::int64_t> read_time(const Json& from, const Where& where) {
  if (!from.is_string()) return where.wrong("is not a time such as 2026-03-01T09:30:00Z");
  const auto time = parse_time(from.get_ref<const std::string&>());
  if (!time) return where.wrong(time.error().message);
  return time->time_since_epoch().count();
}

Result<std::uint64_t> read_hex(const Json& from, const Where& where) {
  std::uint64_t value = 0;
  if (from.is_string()) {
    const auto& text = from.get_ref<const std::string&>();
    constexpr int kBase = 16;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, kBase);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return value;
  }
  return where.wrong("is not a text of hexadecimal digits");
}

// Reads a place as text: a JSON number would have lost its last digits if somebody on the way rounds numbers.
Result<std::uint64_t> read_place(const Json& from, const Where& where) {
  std::uint64_t value = 0;
  if (from.is_string()) {
    const auto& text = from.get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
  }
  return where.wrong("is not a place: a text of decimal digits");
}

// Returns base64 in the letters that a URL may contain, without padding (RFC 4648, section 5).
std::string url_text(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  text.erase(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> bytes_of_url_text(std::string text) {
  constexpr std::size_t kGroup = 4;
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((kGroup - text.size() % kGroup) % kGroup, '=');
  return base64_decode(text);
}

// Reads an opaque struct. It is read from a copy of the bytes, since the words of a message must be aligned.
Result<void> read_opaque(const Json& from, const JsonField& field, DynamicStruct::Builder to,
                         const Where& where) {
  const auto bytes = from.is_string() ? bytes_of_url_text(from.get<std::string>()) : std::nullopt;
  constexpr std::size_t kMostWords = 64;
  if (!bytes || bytes->empty() || bytes->size() % sizeof(capnp::word) != 0 ||
      bytes->size() > kMostWords * sizeof(capnp::word))
    return where.wrong("is not a value that an answer had here");
  auto words = kj::heapArray<capnp::word>(bytes->size() / sizeof(capnp::word));
  std::copy(bytes->begin(), bytes->end(), words.asBytes().begin());
  try {
    const kj::ArrayPtr<const capnp::word> segments[] = {words};
    // Pointers that the schema does not know are copied too, and may share what they point to.
    capnp::ReaderOptions options;
    options.traversalLimitInWords = 2 * kMostWords;
    capnp::SegmentArrayMessageReader reader(segments, options);
    to.set(field.field, reader.getRoot<DynamicStruct>(field.field.getType().asStruct()));
  } catch (const kj::Exception&) {
    return where.wrong("is not a value that an answer had here");
  }
  return {};
}

Result<void> read_object(const Json& from, DynamicStruct::Builder to, const Where& where);
Result<void> read_field(const Json& from, const JsonField& field, std::string_view key,
                        DynamicStruct::Builder to, const Where& where);

template <class Id>
Result<Id> read_id(const Json& from, const Where& where) {
  if (!from.is_string()) return where.wrong("is not a text");
  const auto id = Id::parse(from.get_ref<const std::string&>());
  if (!id) return where.wrong(id.error().message);
  return *id;
}

Result<void> read_element(const Json& from, const JsonField& field, DynamicList::Builder to, unsigned index,
                          const Where& where) {
  switch (field.element) {
    case Shape::kDuration: {
      const auto micros = read_duration(from, where);
      if (!micros) return tl::unexpected(micros.error());
      to.set(index, *micros);
      return {};
    }
    case Shape::kPlace: {
      const auto place = read_place(from, where);
      if (!place) return tl::unexpected(place.error());
      to.set(index, *place);
      return {};
    }
    case Shape::kMessageId: {
      const auto id = read_id<MessageId>(from, where);
      if (!id) return tl::unexpected(id.error());
      convert::write(*id, to[index].as<DynamicStruct>().as<wire::MessageId>());
      return {};
    }
    case Shape::kReceipt: {
      const auto receipt = read_id<Receipt>(from, where);
      if (!receipt) return tl::unexpected(receipt.error());
      convert::write(*receipt, to[index].as<DynamicStruct>().as<wire::Receipt>());
      return {};
    }
    case Shape::kObject:
      return read_object(from, to[index].as<DynamicStruct>(), where);
    default: {
      const auto value = read_plain(from, field.field.getType().asList().getElementType(), where);
      if (!value) return tl::unexpected(value.error());
      to.set(index, *value);
      return {};
    }
  }
}

Result<void> read_list(const Json& from, const JsonField& field, DynamicStruct::Builder to,
                       const Where& where) {
  if (!from.is_array()) return where.wrong("is not a list");
  auto list = to.init(field.field, static_cast<unsigned>(from.size())).as<DynamicList>();
  for (unsigned i = 0; i < from.size(); ++i) {
    if (auto ok = read_element(from[i], field, list, i, where.element(i)); !ok) return ok;
  }
  return {};
}

// Reads a union of one value and of fields without a value. A null chooses the field without a value. The
// value has both names of the field, of which one may end in "Base64".
Result<void> read_choice(const Json& from, const JsonField& field, std::string_view key,
                         DynamicStruct::Builder to, const Where& where) {
  const auto group = field.field.getType().asStruct();
  auto choice = to.init(field.field).as<DynamicStruct>();
  const JsonField& value = value_of_choice(group);
  const bool is_text = value.field.getType().isText();  // null is an empty text then
  if (from.is_null() && !is_text) {
    choice.set(nothing_of_choice(group), capnp::VOID);
    return {};
  }
  const std::string name = key == field.name ? value.name : value.name + "Base64";
  return read_field(from, value, name, choice, where);
}

Result<void> read_data(const Json& from, const JsonField& field, std::string_view key,
                       DynamicStruct::Builder to, const Where& where) {
  if (!from.is_string()) return where.wrong("is not a text");
  const auto& text = from.get_ref<const std::string&>();
  const auto set = [&](const std::string& bytes) {
    auto data = to.init(field.field, static_cast<unsigned>(bytes.size())).as<capnp::Data>();
    std::copy(bytes.begin(), bytes.end(), data.begin());
  };
  if (key == field.name) {
    set(text);
    return {};
  }
  const auto bytes = base64_decode(text);
  if (!bytes) return where.wrong("is not base64, with padding");
  set(*bytes);
  return {};
}

template <class Number>
Result<void> set_number(const Result<Number>& value, const JsonField& field, DynamicStruct::Builder to) {
  if (!value) return tl::unexpected(value.error());
  to.set(field.field, *value);
  return {};
}

Result<void> read_field(const Json& from, const JsonField& field, std::string_view key,
                        DynamicStruct::Builder to, const Where& where) {
  switch (field.shape) {
    case Shape::kDuration:
      return set_number(read_duration(from, where), field, to);
    case Shape::kTime:
      return set_number(read_time(from, where), field, to);
    case Shape::kHex:
      return set_number(read_hex(from, where), field, to);
    case Shape::kPlace:
      return set_number(read_place(from, where), field, to);
    case Shape::kData:
      return read_data(from, field, key, to, where);
    case Shape::kOpaque:
      return read_opaque(from, field, to, where);
    case Shape::kChoice:
      return read_choice(from, field, key, to, where);
    case Shape::kObject:
      return read_object(from, to.init(field.field).as<DynamicStruct>(), where);
    case Shape::kList:
      return read_list(from, field, to, where);
    case Shape::kMessageId: {
      const auto id = read_id<MessageId>(from, where);
      if (!id) return tl::unexpected(id.error());
      convert::write(*id, to.init(field.field).as<DynamicStruct>().as<wire::MessageId>());
      return {};
    }
    case Shape::kReceipt: {
      const auto receipt = read_id<Receipt>(from, where);
      if (!receipt) return tl::unexpected(receipt.error());
      convert::write(*receipt, to.init(field.field).as<DynamicStruct>().as<wire::Receipt>());
      return {};
    }
    case Shape::kNothing:
      to.set(field.field, capnp::VOID);
      return {};
    case Shape::kError:
    case Shape::kNone:
      return where.wrong("cannot be given here");
    case Shape::kPlain:
      break;
  }
  const auto value = read_plain(from, field.field.getType(), where);
  if (!value) return tl::unexpected(value.error());
  to.set(field.field, *value);
  return {};
}

Result<void> read_members(const Json& from, DynamicStruct::Builder to, const Where& where) {
  if (!from.is_object()) return where.wrong("is not an object");
  for (const auto& [key, value] : from.items()) {
    const JsonField* field = find_field(to.getSchema(), key);
    if (field == nullptr) return where.member(key).wrong("there is no such member");
    const bool means_nothing =
        value.is_null() && field->shape != Shape::kChoice && field->shape != Shape::kPlain;
    if (means_nothing) continue;
    const bool has_both = key != field->name && from.contains(field->name) &&
                          (field->shape == Shape::kChoice || !from[field->name].is_null());
    if (has_both)
      return where.member(key).wrong("is given together with '" + field->name + "'; give only one of them");
    if (auto ok = read_field(value, *field, key, to, where.member(key)); !ok) return ok;
  }
  return {};
}

bool has_value(const Json& object, const std::string& name) {
  const auto member = object.find(name);
  return member != object.end() && !member->is_null();
}

Result<void> read_object(const Json& from, DynamicStruct::Builder to, const Where& where) {
  if (auto ok = read_members(from, to, where); !ok) return ok;
  for (const JsonField& field : json_fields(to.getSchema())) {
    if (!field.is_required || has_value(from, field.name)) continue;
    const bool is_said = holds_data(field) && has_value(from, field.name + "Base64");
    if (!is_said) return where.member(field.name).wrong("is required");
  }
  return {};
}

// --- queries ---

// Returns the JSON that a field of this shape wants for a text of a query.
std::optional<Json> json_of(const std::string& text, Shape shape, capnp::Type type) {
  if (shape == Shape::kChoice) {
    const JsonField& value = value_of_choice(type.asStruct());
    return json_of(text, value.shape, value.field.getType());
  }
  if (shape == Shape::kDuration) {
    Json number = parse_json(text);
    return number.is_number() ? number : Json(text);
  }
  const bool is_text = shape != Shape::kPlain || type.isText() || type.isEnum();
  if (is_text) return Json(text);
  Json parsed = parse_json(text);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

struct Found {
  const JsonField* field = nullptr;
  DynamicStruct::Builder in = {};
};

std::optional<Found> find_in_query(std::string_view name, DynamicStruct::Builder to) {
  if (const JsonField* field = find_field(to.getSchema(), name)) return Found{field, to};
  for (const JsonField& field : json_fields(to.getSchema())) {
    if (!opens_in_query(field)) continue;
    const auto type = field.field.getType().asStruct();
    const bool is_here = find_field(type, name) != nullptr;
    if (is_here) return find_in_query(name, to.get(field.field).as<DynamicStruct>());
  }
  return std::nullopt;
}

// --- writing ---

Json write_plain(const DynamicValue::Reader& value) {
  switch (value.getType()) {
    case DynamicValue::BOOL:
      return value.as<bool>();
    case DynamicValue::INT:
      return value.as<std::int64_t>();
    case DynamicValue::UINT:
      return value.as<std::uint64_t>();
    case DynamicValue::FLOAT:
      return value.as<double>();
    case DynamicValue::ENUM: {
      KJ_IF_MAYBE (enumerant, value.as<capnp::DynamicEnum>().getEnumerant()) {
        return enumerant->getProto().getName().cStr();
      }
      return value.as<capnp::DynamicEnum>().getRaw();
    }
    default:
      return std::string(convert::view(value.as<capnp::Text>()));
  }
}

Json write_opaque(DynamicStruct::Reader from) {
  capnp::MallocMessageBuilder message;
  message.setRoot(from);
  const auto segments = message.getSegmentsForOutput();
  const auto bytes = segments[0].asBytes();  // the first segment has room for the struct
  return url_text({reinterpret_cast<const char*>(bytes.begin()), bytes.size()});
}

std::string hex(std::uint64_t value) {
  std::string digits(kHexDigits, '0');
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (auto digit = digits.rbegin(); value != 0; ++digit, value /= kHexDigits)
    *digit = kDigits[value % kHexDigits];
  return digits;
}

Json write_error(wire::Error::Reader from) {
  const Error error = convert::read(from);
  return {{"code", error_info(error.code).name}, {"message", error.message}};
}

Json write_shape(const DynamicValue::Reader& value, Shape shape);

Json write_list(DynamicList::Reader from, Shape element) {
  Json list = Json::array();
  for (auto value : from) list.push_back(write_shape(value, element));
  return list;
}

Json write_shape(const DynamicValue::Reader& value, Shape shape) {
  switch (shape) {
    case Shape::kDuration:
      return write_duration(value.as<std::int64_t>());
    case Shape::kTime:
      return format_time(Timestamp(Duration(value.as<std::int64_t>())));
    case Shape::kHex:
      return hex(value.as<std::uint64_t>());
    case Shape::kPlace:
      return std::to_string(value.as<std::uint64_t>());
    case Shape::kMessageId:
      return convert::read(value.as<DynamicStruct>().as<wire::MessageId>()).to_string();
    case Shape::kReceipt:
      return convert::read(value.as<DynamicStruct>().as<wire::Receipt>()).to_string();
    case Shape::kError:
      return write_error(value.as<DynamicStruct>().as<wire::Error>());
    case Shape::kOpaque:
      return write_opaque(value.as<DynamicStruct>());
    case Shape::kObject:
      return write_json(value.as<DynamicStruct>());
    default:
      return write_plain(value);
  }
}

void write_data(DynamicStruct::Reader from, const JsonField& field, Json& to) {
  const auto bytes = convert::view(from.get(field.field).as<capnp::Data>());
  if (is_valid_utf8(bytes)) {
    to[field.name] = std::string(bytes);
  } else {
    to[field.name + "Base64"] = base64_encode(bytes);
  }
}

bool is_active(DynamicStruct::Reader from, const JsonField& field) {
  if (field.field.getProto().getDiscriminantValue() == types::Field::NO_DISCRIMINANT) return true;
  KJ_IF_MAYBE (active, from.which()) {
    return *active == field.field;
  }
  return false;
}

void write_field(DynamicStruct::Reader from, const JsonField& field, Json& to);

// Writes a union of one value and of fields without a value. If it has no value, it is written as null,
// unless that is its default.
void write_choice(DynamicStruct::Reader choice, const JsonField& field, Json& to) {
  const JsonField& value = value_of_choice(choice.getSchema());
  if (is_active(choice, value)) {
    Json members = Json::object();
    write_field(choice, value, members);
    for (auto& [key, member] : members.items()) {
      to[key.ends_with("Base64") ? field.name + "Base64" : field.name] = std::move(member);
    }
    return;
  }
  if (value.field.getProto().getDiscriminantValue() == 0) to[field.name] = nullptr;
}

void write_field(DynamicStruct::Reader from, const JsonField& field, Json& to) {
  if (!is_active(from, field) || field.shape == Shape::kNothing || field.shape == Shape::kNone) return;
  const bool is_pointer = field.shape == Shape::kData || field.shape == Shape::kList ||
                          field.shape == Shape::kMessageId || field.shape == Shape::kReceipt ||
                          field.shape == Shape::kOpaque || field.field.getType().isText() ||
                          (field.shape == Shape::kObject && !field.field.getProto().isGroup());
  if (is_pointer && !field.is_required && !from.has(field.field)) return;
  const auto value = from.get(field.field);
  if (field.shape == Shape::kData) return write_data(from, field, to);
  if (field.shape == Shape::kChoice) return write_choice(value.as<DynamicStruct>(), field, to);
  if (field.shape == Shape::kTime && value.as<std::int64_t>() == 0) return;
  const bool is_empty = field.field.getType().isText() && value.as<capnp::Text>().size() == 0;
  if (is_empty && !field.is_required) return;
  to[field.name] = field.shape == Shape::kList ? write_list(value.as<DynamicList>(), field.element)
                                               : write_shape(value, field.shape);
}

}  // namespace

Result<void> read_json(const Json& from, DynamicStruct::Builder to) { return read_members(from, to, {}); }

Result<void> read_query(std::string_view name, const std::vector<std::string>& values,
                        DynamicStruct::Builder to) {
  const Where where{std::string(name)};
  const auto found = find_in_query(name, to);
  if (!found || values.empty()) return where.wrong("there is no such parameter");
  const JsonField& field = *found->field;
  const capnp::Type type = field.field.getType();
  const bool is_list = field.shape == Shape::kList;
  const bool is_of_objects = is_list_of_objects(field);
  if ((!is_list || is_of_objects) && values.size() > 1) return where.wrong("is given more than once");
  if (is_of_objects) {
    const auto objects = parse_request_json(values.front());
    if (!objects) return where.wrong(objects.error());
    return read_field(*objects, field, name, found->in, where);
  }
  Json json = Json::array();
  for (const std::string& value : values) {
    auto element = is_list ? json_of(value, field.element, type.asList().getElementType())
                           : json_of(value, field.shape, type);
    if (!element) return where.wrong("'" + value + "' is not a valid value");
    json.push_back(*std::move(element));
  }
  return read_field(is_list ? json : json.front(), field, name, found->in, where);
}

Json write_duration(std::int64_t micros) {
  if (micros % static_cast<std::int64_t>(kMicrosInSecond) == 0)
    return micros / static_cast<std::int64_t>(kMicrosInSecond);
  return static_cast<double>(micros) / kMicrosInSecond;
}

Json write_json(DynamicStruct::Reader from) {
  Json object = Json::object();
  for (const JsonField& field : json_fields(from.getSchema())) write_field(from, field, object);
  return object;
}

}  // namespace holdfast::server
