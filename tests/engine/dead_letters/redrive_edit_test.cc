// Edits whose bodies and patches are made to do harm.
#include "engine/redrive/edit.h"

#include <gtest/gtest.h>

#include "engine/codec/dead_letters/archive_line.h"
#include "engine/codec/encoding/json.h"
#include "holdfast/limits.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

Result<std::string> edited(const std::string& body, const std::string& patch) {
  const auto edit = MessageEdit::make({.json_patch = patch});
  if (!edit) return tl::unexpected(edit.error());
  MessageView message;
  message.attribute_bytes = std::string_view("\0", 1);
  message.body = body;
  auto result = edit->apply(message, {});
  if (!result) return tl::unexpected(result.error());
  return result->body;
}

TEST(RedriveEdit, TakesBodiesAsDeepAsTheLimitAndRefusesDeeperOnes) {
  const std::string patch = R"([{"op":"test","path":"/1","value":1}])";
  const auto body = [](std::size_t depth) { return "[" + nested(depth - 1) + ",1]"; };
  EXPECT_EQ(edited(body(limits::kJsonDepth), patch), body(limits::kJsonDepth));
  EXPECT_THAT(edited(body(limits::kJsonDepth + 1), patch),
              FailsNaming(ErrorCode::kInvalidArgument, "nested deeper than"));
}

TEST(RedriveEdit, ABodyOfMoreValuesThanTheLimitIsNotEdited) {
  const auto list = [](std::size_t values) {
    std::string text = "[0";
    for (std::size_t i = 1; i + 1 < values; ++i) text += ",0";
    return text + "]";
  };
  EXPECT_EQ(edited(list(limits::kJsonValues), "[]"), list(limits::kJsonValues));
  EXPECT_THAT(edited(list(limits::kJsonValues + 1), "[]"),
              FailsNaming(ErrorCode::kInvalidArgument, "has more than 2097152 values"));
}

TEST(RedriveEdit, NumbersThatThePatchDoesNotTouchKeepTheirValue) {
  const std::string patch = R"([{"op":"replace","path":"/0","value":true}])";
  const auto kept = [&](const std::string& number) {
    return edited("[0," + number + "]", patch).value_or("refused");
  };
  for (const char* number :
       {"18446744073709551615", "-9223372036854775808", "18446744073709551616", "-9223372036854775809",
        "123456789012345678901234567890", "0.12345678901234567890", "-1234567890123456.7891", "1e-400",
        "12345678901234567890e-5", "1.7976931348623157e+308", "0.1", "-0.0", "9007199254740993.0"}) {
    EXPECT_EQ(kept(number), "[true," + std::string(number) + "]");
  }
  // These numbers are written in another way, with the same value.
  EXPECT_EQ(kept("10.10"), "[true,10.1]");
  EXPECT_EQ(kept("1E3"), "[true,1000.0]");
  EXPECT_EQ(kept("0e999999999999999999999"), "[true,0.0]");
  EXPECT_EQ(kept("10000000000000000000000"), "[true,1e+22]");
  // No double has this value.
  EXPECT_EQ(kept("1e400"), "refused");
}

TEST(RedriveEdit, LongNumbersAreMovedComparedAndWritten) {
  const std::string number = "123456789012345678901234567890";
  const std::string body = R"({"a":)" + number + R"(,"b":[1]})";
  EXPECT_EQ(edited(body, R"([{"op":"move","from":"/a","path":"/b/0"}])"), R"({"b":[)" + number + ",1]}");
  EXPECT_EQ(edited(body, R"([{"op":"test","path":"/a","value":)" + number + "}]"), body);
  EXPECT_THAT(edited(body, R"([{"op":"test","path":"/a","value":123456789012345678901234567891}])"),
              FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_EQ(edited("{}", R"([{"op":"add","path":"/a","value":)" + number + "}]"), R"({"a":)" + number + "}");
  EXPECT_EQ(edited(R"({"":[],"x":{},"a":"\u00e9\"","a":null})", "[]"), R"({"":[],"x":{},"a":null})");
}

TEST(RedriveEdit, NothingIsWithinWhatIsNeitherObjectNorArray) {
  const auto refused = FailsNaming(ErrorCode::kInvalidArgument, "not within an object or an array");
  for (const char* body :
       {R"({"a":1})", R"({"a":"x"})", R"({"a":null})", R"({"a":0.12345678901234567890})"}) {
    SCOPED_TRACE(body);
    EXPECT_THAT(edited(body, R"([{"op":"add","path":"/a/b","value":1}])"), refused);
    EXPECT_THAT(edited(body, R"([{"op":"copy","from":"/a","path":"/a/b"}])"), refused);
    EXPECT_THAT(edited(body, R"([{"op":"remove","path":"/a/b"}])"), refused);
  }
  EXPECT_THAT(edited("0", R"([{"op":"add","path":"/a","value":1}])"), refused);
  // Once the value is taken out of the array, the path leads to another element.
  EXPECT_THAT(edited("[1,{},2]", R"([{"op":"move","from":"/0","path":"/1/x"}])"), refused);
  EXPECT_EQ(edited("[1,2,{}]", R"([{"op":"move","from":"/0","path":"/1/x"}])"), R"([2,{"x":1}])");
  EXPECT_EQ(edited("0", R"([{"op":"add","path":"","value":[]},{"op":"add","path":"/-","value":1}])"), "[1]");
}

TEST(RedriveEdit, AZeroByteEndsNoText) {
  const auto with_zero = [](const std::string& text) { return text + '\0' + "junk"; };
  EXPECT_THAT(edited(with_zero(R"({"a":1})"), "[]"), FailsNaming(ErrorCode::kInvalidArgument, "not JSON"));
  EXPECT_THAT(edited("{}", with_zero("[]")), FailsNaming(ErrorCode::kInvalidArgument, "json_patch"));
  EXPECT_TRUE(parse_json(with_zero("{}")).is_discarded());
}

TEST(RedriveEdit, DeeplyNestedTextDoesNotEndTheProcess) {
  const std::string bomb = nested(limits::kBodyBytes / 2);
  EXPECT_THAT(edited(bomb, R"([{"op":"add","path":"/-","value":1}])"),
              FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(edited("{}", bomb), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(parse_archive_line(R"({"format":)" + bomb + "}"), FailsWith(ErrorCode::kInvalidArgument));
}

TEST(RedriveEdit, CopiesThatDoubleTheBodyEachTimeAreStopped) {
  std::string patch = "[";
  for (int i = 0; i < 60; ++i) patch += R"({"op":"copy","from":"","path":"/a)" + std::to_string(i) + R"("},)";
  patch.back() = ']';
  EXPECT_THAT(edited(R"({"x":"y"})", patch), FailsWith(ErrorCode::kLimitExceeded));
}

// Makes a patch that has the operation `count` times.
std::string patch_of(std::size_t count, const std::string& operation) {
  std::string patch = "[";
  for (std::size_t i = 0; i < count; ++i) patch += (i == 0 ? "" : ",") + operation;
  return patch + "]";
}

TEST(RedriveEdit, CopiesCountTogetherAlsoWhereEachReplacesTheOneBefore) {
  constexpr std::size_t kCopies = 4;
  const std::string text = '"' + std::string(limits::kBodyBytes / kCopies - 2, 'x') + '"';
  const std::string body = R"({"a":)" + text + R"(,"b":0})";
  const std::string copy = R"({"op":"copy","from":"/a","path":"/b"})";
  EXPECT_EQ(edited(body, patch_of(kCopies, copy)), R"({"a":)" + text + R"(,"b":)" + text + "}");
  EXPECT_THAT(edited(body, patch_of(kCopies + 1, copy)),
              FailsNaming(ErrorCode::kLimitExceeded, "copies more than the limit of 1048576 bytes"));
}

TEST(RedriveEdit, CopiesMakeNoBodyOfMoreValuesThanOneThatIsRead) {
  constexpr std::size_t kElements = limits::kJsonValues / 2 - 2;  // two such lists and a text are in one list
  std::string list = "[0";
  for (std::size_t i = 1; i < kElements; ++i) list += ",0";
  list += "]";
  // With this text, twice the bytes of the body are more than what the edited body has.
  const std::string text = R"("0123456789")";
  const std::string copy = R"({"op":"copy","from":"/0","path":"/1"})";
  const std::string add = R"({"op":"add","path":"/-","value":0})";
  EXPECT_EQ(edited("[" + list + "," + text + "]", "[" + copy + "]"),
            "[" + list + "," + list + "," + text + "]");
  EXPECT_THAT(edited("[" + list + "," + text + "]", "[" + copy + "," + add + "]"),
              FailsNaming(ErrorCode::kLimitExceeded, "has more than the limit of 2097152 values"));
}

TEST(RedriveEdit, WhatAPatchLooksThroughAndShiftsIsBounded) {
  constexpr std::size_t kElements = 1 << 20;
  constexpr std::size_t kEach = 8;      // steps that an operation takes for an element
  constexpr std::size_t kEachName = 9;  // steps for a member whose name has one byte
  const auto refused = FailsNaming(ErrorCode::kLimitExceeded, "more than the limit of 67108864 steps");
  std::string elements = "0";
  std::string members = R"("0":0)";
  for (std::size_t i = 1; i < kElements; ++i) {
    elements += ",0";
    members += ",\"" + std::to_string(i) + "\":0";
  }
  const std::string replace = R"({"op":"replace","path":"/7","value":0})";
  for (const auto& [body, each] :
       {std::pair{"[" + elements + "]", kEach}, std::pair{"{" + members + "}", kEachName}}) {
    const std::size_t most = limits::kPatchSteps / kElements / each;
    EXPECT_EQ(edited(body, patch_of(most, replace)), body);
    EXPECT_THAT(edited(body, patch_of(most + 1, replace)), refused);
  }
  // Shifting takes steps for each element behind the new one. What an element contains needs no shifting.
  const std::string body = "[" + elements + ",{}]";
  const std::string inner = R"({"op":"add","path":"/)" + std::to_string(kElements) + R"(/x","value":0})";
  EXPECT_EQ(edited(body, patch_of(1'000, inner)), "[" + elements + R"(,{"x":0}])");
  // Here the array has one element more.
  constexpr std::size_t kTooMany = limits::kPatchSteps / kElements / kEach;
  EXPECT_THAT(edited(body, patch_of(kTooMany, R"({"op":"add","path":"/0","value":0})")), refused);
}

// Names that begin like the name that is looked for are compared to their ends.
TEST(RedriveEdit, LongNamesTakeMoreSteps) {
  constexpr std::size_t kMembers = 2'000;
  constexpr std::size_t kNameBytes = 4'000;
  std::string members;
  for (std::size_t i = 0; i < kMembers; ++i) {
    const std::string number = std::to_string(kMembers + i);
    members += (i == 0 ? "\"" : ",\"") + std::string(kNameBytes - number.size(), 'n') + number + "\":0";
  }
  const std::string last = std::string(kNameBytes - 4, 'n') + std::to_string(2 * kMembers - 1);
  const std::string replace = R"({"op":"replace","path":"/)" + last + R"(","value":0})";
  const std::string body = "{" + members + "}";
  constexpr std::size_t kMost = limits::kPatchSteps / kMembers / (8 + kNameBytes);
  EXPECT_EQ(edited(body, patch_of(kMost, replace)), body);
  EXPECT_THAT(edited(body, patch_of(kMost + 1, replace)),
              FailsNaming(ErrorCode::kLimitExceeded, "more than the limit of 67108864 steps"));
}

TEST(RedriveEdit, CopiesOfALongNumberCount) {
  std::string patch = "[";
  for (int i = 0; i < 1000; ++i) patch += R"({"op":"copy","from":"/0","path":"/-"},)";
  patch.back() = ']';
  EXPECT_THAT(edited("[0." + std::string(limits::kBodyBytes / 2, '1') + "]", patch),
              FailsWith(ErrorCode::kLimitExceeded));
}

TEST(RedriveEdit, CopiesThatDeepenTheBodyEachTimeAreStopped) {
  std::string path;
  for (int i = 0; i < 200; ++i) path += "/0";
  const std::string deepen = R"({"op":"copy","from":"","path":")" + path + R"("},)";
  std::string patch = "[";
  for (int i = 0; i < 140; ++i) patch += deepen;
  patch.back() = ']';
  ASSERT_LE(patch.size(), limits::kPatchBytes);
  EXPECT_THAT(edited(nested(201), patch), FailsNaming(ErrorCode::kLimitExceeded, "nested"));
}

}  // namespace
}  // namespace holdfast::testing
