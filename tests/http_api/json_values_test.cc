// Converts the protocol's structs to JSON and back, for every struct that a request has.
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <gmock/gmock.h>

#include <limits>
#include <set>
#include <vector>

#include "engine/base/helpers/base64.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/protocol/protocol_methods.h"
#include "server/http/json/json_fields.h"
#include "server/http/json/json_values.h"
#include "tests/support/random.h"

namespace holdfast::server {
namespace {

using capnp::DynamicList;
using capnp::DynamicStruct;

// Fills a struct with random values. Numbers are those that JSON can have exactly.
class Filler {
 public:
  explicit Filler(std::uint64_t seed) : random_(seed) {}

  void fill(DynamicStruct::Builder to, int depth) {
    const auto fields = to.getSchema().getNonUnionFields();
    for (auto field : fields) set(to, field, depth);
    const auto members = to.getSchema().getUnionFields();
    if (members.size() > 0) set(to, members[static_cast<unsigned>(below(members.size()))], depth);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }

  std::string text() {
    std::string text;
    for (std::uint64_t i = 0, size = 1 + below(9); i < size; ++i) text += static_cast<char>('!' + below(90));
    return text;
  }

  std::int64_t micros() { return static_cast<std::int64_t>(1 + below(1'000'000'000'000)); }

  void set(DynamicStruct::Builder to, capnp::StructSchema::Field field, int depth) {
    const auto type = field.getType();
    switch (type.which()) {
      case capnp::schema::Type::VOID:
        return to.set(field, capnp::VOID);
      case capnp::schema::Type::BOOL:
        return to.set(field, below(2) == 1);
      case capnp::schema::Type::FLOAT64:
        return to.set(field, static_cast<double>(below(1000)) / 8);
      case capnp::schema::Type::INT64:
        return to.set(field, micros());
      case capnp::schema::Type::UINT64:
        return to.set(field, below(std::numeric_limits<std::uint64_t>::max()));
      case capnp::schema::Type::UINT16:
      case capnp::schema::Type::UINT32:
        return to.set(field, below(65536));
      case capnp::schema::Type::TEXT:
        return to.set(field, capnp::Text::Reader(text().c_str()));
      case capnp::schema::Type::DATA:
        return to.set(field, capnp::Data::Reader(kj::StringPtr(text().c_str()).asBytes()));
      case capnp::schema::Type::ENUM: {
        const auto enumerants = type.asEnum().getEnumerants();
        return to.set(field, capnp::DynamicEnum(enumerants[static_cast<unsigned>(below(enumerants.size()))]));
      }
      case capnp::schema::Type::STRUCT:
        if (depth > 0) fill(to.init(field).as<DynamicStruct>(), depth - 1);
        return;
      case capnp::schema::Type::LIST: {
        if (depth == 0) return;
        auto list = to.init(field, static_cast<unsigned>(1 + below(3))).as<DynamicList>();
        for (unsigned i = 0; i < list.size(); ++i) element(list, i, depth - 1);
        return;
      }
      default:
        return;
    }
  }

  void element(DynamicList::Builder list, unsigned index, int depth) {
    const auto type = list.getSchema().getElementType();
    if (type.isStruct()) return fill(list[index].as<DynamicStruct>(), depth);
    if (type.isText()) return list.set(index, capnp::Text::Reader(text().c_str()));
    if (type.which() == capnp::schema::Type::INT64) return list.set(index, micros());
    list.set(index, below(1000));
  }

  testing::Random random_;
};

std::vector<std::uint8_t> canonical(capnp::MessageBuilder& message) {
  const auto words = message.getRoot<capnp::AnyStruct>().asReader().canonicalize();
  return {words.asBytes().begin(), words.asBytes().end()};
}

TEST(JsonValuesTest, WhatIsWrittenIsReadAsItWas) {
  for (auto method : protocol::methods()) {
    const auto type = method.getParamType();
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      SCOPED_TRACE(std::string(method.getProto().getName().cStr()) + ", seed " + std::to_string(seed));
      capnp::MallocMessageBuilder first;
      auto filled = first.initRoot<DynamicStruct>(type);
      Filler(seed).fill(filled, 4);
      const Json json = write_json(filled.asReader());
      capnp::MallocMessageBuilder second;
      auto read = second.initRoot<DynamicStruct>(type);
      const auto ok = read_json(json, read);
      ASSERT_TRUE(ok) << ok.error().message << json.dump(1);
      EXPECT_EQ(canonical(second), canonical(first)) << json.dump(1) << write_json(read.asReader()).dump(1);
    }
  }
}

// Makes an opaque value whose only member is a list of lists of lists. The outer two have the same list again
// and again, so a copy of the value is more than a hundred times as large as the value.
std::string value_that_fans_out() {
  constexpr std::uint64_t kPointers = 20;
  const auto list_after = [](std::uint64_t words) { return kPointers << 35 | 6ULL << 32 | words << 2 | 1; };
  std::vector<std::uint64_t> words = {1ULL << 48, list_after(0)};
  for (int level = 0; level < 2; ++level) {
    for (std::uint64_t i = 1; i <= kPointers; ++i) words.push_back(list_after(kPointers - i));
  }
  words.resize(words.size() + kPointers);
  return base64_encode({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words[0])});
}

TEST(JsonValuesTest, AnOpaqueValueIsNotLargerThanItLooks) {
  capnp::MallocMessageBuilder message;
  const auto read =
      read_json({{"start", value_that_fans_out()}},
                message.initRoot<DynamicStruct>(capnp::Schema::from<wire::ListDeadLettersRequest>()));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "start: is not a value that an answer had here");
}

TEST(JsonValuesTest, NamesOfMembersDoNotClash) {
  for (auto method : protocol::methods()) {
    std::set<std::string> names;
    for (const JsonField& field : json_fields(method.getParamType())) {
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
      if (field.shape == Shape::kData) {
        EXPECT_TRUE(names.insert(field.name + "Base64").second);
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::server
