// Reads JSON that comes from outside. The tests try each bound at its edge. They also see that many values,
// many members and deep objects take time in proportion to their length: in quadratic time, they would take
// minutes instead of a second.
#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/request_json.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/codec/encoding/exact_json.h"
#include "holdfast/limits.h"

namespace holdfast::testing {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string list_of(const std::string& value, std::size_t count) {
  return "[" + repeated(value + ",", count - 1) + value + "]";
}

std::string object_of(std::size_t members) {
  std::string text = "{";
  for (std::size_t i = 0; i < members; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  return text + "}";
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(Json, IsReadUpToItsBoundsAndNotBeyond) {
  EXPECT_FALSE(parse_json(nested(limits::kJsonDepth)).is_discarded());
  EXPECT_TRUE(parse_json(nested(limits::kJsonDepth + 1)).is_discarded());
  EXPECT_EQ(json_fault(nested(limits::kJsonDepth + 1)), "is nested deeper than 256 levels");

  // The list itself counts as a value too.
  EXPECT_EQ(parse_json(list_of("0", limits::kJsonValues - 1)).size(), limits::kJsonValues - 1);
  EXPECT_TRUE(parse_json(list_of("0", limits::kJsonValues)).is_discarded());
  EXPECT_EQ(json_fault(list_of("0", limits::kJsonValues)), "has more than 2097152 values");

  EXPECT_EQ(parse_json(object_of(limits::kJsonMembers)).size(), limits::kJsonMembers);
  EXPECT_TRUE(parse_json("[" + object_of(limits::kJsonMembers + 1) + "]").is_discarded());
  EXPECT_EQ(json_fault(object_of(limits::kJsonMembers + 1)), "has an object of more than 1000 members");
}

// The batch has as many messages as a call may have. Each has as many attributes as a message may have, and
// more other members than there are.
TEST(Json, OfAFullBatchIsWithinTheBounds) {
  std::string message = R"({"attributes":)" + list_of(R"({"name":"n","value":""})", limits::kAttributes);
  for (int i = 0; i < 15; ++i) message += ",\"" + std::to_string(i) + "\":0";
  const Json batch = parse_json(R"({"messages":)" + list_of(message + "}", limits::kBatchEntries) + "}");
  ASSERT_TRUE(batch.is_object());
  EXPECT_EQ(batch.at("messages").size(), limits::kBatchEntries);
}

TEST(Json, BoundsCountValuesAndNothingElse) {
  const JsonBounds bounds{.values = 3, .members = 2};
  for (const char* text :
       {"0", "[]", "[[],[]]", "[ [ ] , { } ]", R"({"a":1,"b":2})", R"(["[[[[,,,,{{{{","\",,,,\\"])",
        R"({",,,,\"":"{{{{","b" : "]]" })", "[[0]]", "\xef\xbb\xbf[1,2]"}) {
    EXPECT_FALSE(parse_json(text, bounds).is_discarded()) << text;
  }
  for (const char* text : {"[0,1,2]", "[[],[],[]]", R"({"a":[1,2]})", "[[[[]]]]", R"({"a":1,"b":2,"a":3})"})
    EXPECT_TRUE(parse_json(text, bounds).is_discarded()) << text;
}

TEST(Json, OfWhatIsNoJsonItIsSaid) {
  for (const char* text : {"", " ", "{", "[1,", "[,]", "[1}", "{\"a\"}", "{\"a\":1,}", "]", "[]]", "[] []",
                           "\"", "\"\\", "tru", "1e400", "\"\xff\"", "//\n[]", ","}) {
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
    EXPECT_TRUE(parse_exact_json(text).is_discarded()) << text;
    EXPECT_EQ(json_fault(text), "is not JSON") << text;
  }
}

TEST(Json, ThatAClientAsksForHasEachMemberOnce) {
  EXPECT_TRUE(parse_request_json(R"({"a":{"a":1},"b":[{"a":1},{"a":2}]})"));
  EXPECT_EQ(parse_request_json(R"([{"a":1,"b":{"c":1,"d":2,"c":1}}])").error(),
            "has the member 'c' twice in one object");
  EXPECT_EQ(parse_request_json(R"({"\u0061":1,"a":1})").error(), "has the member 'a' twice in one object");
  EXPECT_EQ(parse_request_json(R"({"":1,"":1})").error(), "has the member '' twice in one object");
  // An object of so many members is searched by an index.
  const std::string many = object_of(limits::kJsonMembers - 1);
  EXPECT_TRUE(parse_request_json(many));
  EXPECT_EQ(parse_request_json(many.substr(0, many.size() - 1) + R"(,"77":0})").error(),
            "has the member '77' twice in one object");
  EXPECT_EQ(parse_request_json("{\"a\":1,\"a\"").error(), "has the member 'a' twice in one object");
  for (const std::string& text : {std::string("{"), std::string("{}\0", 3), nested(limits::kJsonDepth + 1)})
    EXPECT_EQ(parse_request_json(text).error(), json_fault(text));
}

TEST(Json, OfTwoMembersOfOneNameTheLastOneCounts) {
  EXPECT_EQ(dump_json(parse_json(R"({"a":{"x":1},"b":2,"a":[3]})")), R"({"a":[3],"b":2})");
  // An object of so many members is searched by an index.
  const std::string many = object_of(limits::kJsonMembers - 1);
  const std::string twice = many.substr(0, many.size() - 1) + R"(,"7":{"x":[]}})";
  Json expected = parse_json(many);
  expected["7"] = parse_json(R"({"x":[]})");
  EXPECT_EQ(parse_json(twice), expected);
  EXPECT_EQ(parse_exact_json(twice), expected);
}

TEST(Json, ManyObjectsInAListAreRead) {
  const std::string text = R"({"x":)" + list_of("{}", 500'000) + "}";
  EXPECT_EQ(parse_json(text).at("x").size(), 500'000U);
  EXPECT_EQ(parse_exact_json(text).at("x").size(), 500'000U);
}

// While an object grows, what its members contain is copied, on each level.
TEST(Json, AMemberAfterALargeOneOnEachLevelIsRead) {
  const std::size_t levels = limits::kJsonDepth - 1;
  const std::string text =
      repeated(R"({"a":)", levels) + list_of(R"("")", 1'000'000) + repeated(R"(,"b":1})", levels);
  EXPECT_EQ(parse_json(text).size(), 2U);
  EXPECT_EQ(dump_exact_json(parse_exact_json(text)), text);
}

// Edited bodies are read this way. They are the users' own, so members are bounded only as values are.
TEST(ExactJson, HasAsManyMembersAsThereAreValues) {
  const std::string text = object_of(300'000);
  EXPECT_EQ(dump_exact_json(parse_exact_json(text)), text);
  EXPECT_EQ(exact_json_fault(list_of("0", limits::kJsonValues)), "has more than 2097152 values");
  EXPECT_TRUE(parse_exact_json(list_of("0", limits::kJsonValues)).is_discarded());
  EXPECT_EQ(exact_json_fault("{"), "is not JSON");
}

// The sanitizers see whether the digits take such an exponent past its bounds.
TEST(ExactJson, KeepsNumbersWithTheLastExponents) {
  for (const std::string text :
       {"0.5e-9223372036854775808", "0.05E-9223372036854775807", "5e-9223372036854775808",
        "5e-9223372036854775809", "500e-9223372036854775808"}) {
    EXPECT_EQ(dump_exact_json(parse_exact_json(text)), text);
  }
}

}  // namespace
}  // namespace holdfast::testing
