// Bodies and patches that are made to do harm.
#include "runtime/redrive/edit.h"

#include <gtest/gtest.h>

#include "codec/archive_line.h"
#include "codec/json.h"
#include "holdfast/limits.h"
#include "support/result_matchers.h"

namespace holdfast::testing {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

Result<std::string> edited(const std::string& body, const std::string& patch) {
  const auto edit = MessageEdit::make({.json_patch = patch});
  if (!edit) return tl::unexpected(edit.error());
  MessageView message;
  message.attribute_bytes = std::string_view("\0", 1);
  message.body = body;
  auto result = edit->apply(message);
  if (!result) return tl::unexpected(result.error());
  return result->body;
}

TEST(RedriveEdit, TakesBodiesAsDeepAsTheLimitAndRefusesDeeperOnes) {
  const std::string patch = R"([{"op":"test","path":"/1","value":1}])";
  const auto body = [](std::size_t depth) { return "[" + nested(depth - 1) + ",1]"; };
  EXPECT_EQ(edited(body(limits::kJsonDepth), patch), body(limits::kJsonDepth));
  EXPECT_THAT(edited(body(limits::kJsonDepth + 1), patch), FailsNaming(ErrorCode::kInvalidArgument, "JSON"));
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
