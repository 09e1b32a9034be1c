#include "tests/fuzz/wire_samples.h"

#include <string>

#include "schema/convert/values/value.h"

namespace holdfast::fuzz {
namespace {

capnp::DynamicValue::Reader sample_of(const capnp::Type& type) {
  static const std::string receipt = kReceipt.to_string();
  switch (type.which()) {
    case capnp::schema::Type::VOID:
      return capnp::VOID;
    case capnp::schema::Type::BOOL:
      return true;
    case capnp::schema::Type::TEXT:
      return capnp::Text::Reader(kQueue);
    case capnp::schema::Type::DATA:
      return capnp::Data::Reader(reinterpret_cast<const kj::byte*>(receipt.data()), receipt.size());
    case capnp::schema::Type::ENUM:
      return capnp::DynamicEnum(type.asEnum().getEnumerants()[0]);
    default:
      return 1;
  }
}

void fill_list(capnp::DynamicList::Builder to, const Receipt& receipt, int depth) {
  for (unsigned i = 0; i < to.size(); ++i) {
    const capnp::Type type = to.getSchema().getElementType();
    if (type.isStruct()) {
      fill(to[i].as<capnp::DynamicStruct>(), receipt, depth - 1);
    } else if (!type.isList()) {
      to.set(i, sample_of(type));
    }
  }
}

}  // namespace

void fill(capnp::DynamicStruct::Builder to, const Receipt& receipt, int depth) {
  if (to.getSchema() == capnp::Schema::from<wire::Receipt>())
    return convert::write(receipt, to.as<wire::Receipt>());
  for (const auto field : to.getSchema().getFields()) {
    const capnp::Type type = field.getType();
    if (field.getProto().isGroup()) {
      fill(to.init(field).as<capnp::DynamicStruct>(), receipt, depth);
    } else if (type.isStruct() && depth > 0) {
      fill(to.init(field).as<capnp::DynamicStruct>(), receipt, depth - 1);
    } else if (type.isList()) {
      fill_list(to.init(field, 2).as<capnp::DynamicList>(), receipt, depth);
    } else if (type.isInterface()) {
      to.clear(field);
    } else if (!type.isStruct() && !type.isAnyPointer()) {
      to.set(field, sample_of(type));
    }
  }
}

}  // namespace holdfast::fuzz
