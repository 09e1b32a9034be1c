// These tests are about errors and results. The table of errors has each code once, with a name, an exit
// status and an HTTP status that programs can use, and agrees with the documents.
#include "holdfast/error.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/result_matchers.h"

namespace holdfast {
namespace {

TEST(ErrorTable, HasEachCodeOnceInAscendingOrder) {
  std::uint16_t expected = 1;
  for (const ErrorInfo& row : error_table()) EXPECT_EQ(static_cast<std::uint16_t>(row.code), expected++);
  EXPECT_EQ(expected, static_cast<std::uint16_t>(ErrorCode::kCancelled) + 1);
}

TEST(ErrorTable, NamesAreUniqueAndFitForPrograms) {
  std::set<std::string_view> names;
  for (const ErrorInfo& row : error_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.name.empty());
    EXPECT_TRUE(std::ranges::all_of(row.name, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; }))
        << row.name;
  }
}

// 0 is success, 126 and up belong to the shell.
TEST(ErrorTable, ExitStatusesAreUniqueAndLeaveTheShellsAlone) {
  std::set<int> statuses;
  for (const ErrorInfo& row : error_table()) {
    EXPECT_TRUE(statuses.insert(row.exit_status).second) << row.name;
    EXPECT_GT(row.exit_status, 0) << row.name;
    EXPECT_LT(row.exit_status, 126) << row.name;
  }
}

TEST(ErrorTable, HttpStatusesAreErrors) {
  for (const ErrorInfo& row : error_table()) {
    EXPECT_GE(row.http_status, 400) << row.name;
    EXPECT_LT(row.http_status, 600) << row.name;
  }
}

// The documents have a table of codes and exit statuses. It has the same rows in the same order as the code.
TEST(ErrorTable, IsTheOneOfTheDocuments) {
  std::ifstream document(HOLDFAST_DOCUMENTS "/errors.md");
  ASSERT_TRUE(document.is_open());
  std::vector<std::string> rows;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("| `")) rows.push_back(line.substr(0, line.find(" | ", line.find(" | ") + 1)));
  }
  std::vector<std::string> expected;
  for (const ErrorInfo& row : error_table())
    expected.push_back("| `" + std::string(row.name) + "` | " + std::to_string(row.exit_status));
  EXPECT_THAT(rows, ::testing::ElementsAreArray(expected));
}

TEST(ErrorInfo, FindsTheRowOfEachCode) {
  for (const ErrorInfo& row : error_table()) EXPECT_EQ(&error_info(row.code), &row);
}

TEST(ErrorInfo, GivesAnUnknownCodeTheRowOfInternal) {
  EXPECT_EQ(error_info(static_cast<ErrorCode>(0)).code, ErrorCode::kInternal);
  EXPECT_EQ(error_info(static_cast<ErrorCode>(9999)).code, ErrorCode::kInternal);
}

TEST(Error, PrintsItsNameAndItsMessage) {
  EXPECT_EQ(to_string(Error{ErrorCode::kQueueNotFound, "no queue named 'orders'"}),
            "queue_not_found: no queue named 'orders'");
}

TEST(ResultOf, HoldsAValueOrAnError) {
  const Result<int> value = 7;
  ASSERT_THAT(value, testing::Succeeds());
  EXPECT_EQ(*value, 7);
  const Result<int> error = fail(ErrorCode::kClosed, "closing");
  ASSERT_THAT(error, testing::FailsWith(ErrorCode::kClosed));
  EXPECT_EQ(error.error().message, "closing");
}

TEST(ResultOf, OutlivesItsTemporaryInARangeFor) {
  const auto make = [] { return Result<std::vector<std::string>>(std::vector<std::string>{"a", "b"}); };
  std::string joined;
  for (const std::string& text : *make()) joined += text;
  EXPECT_EQ(joined, "ab");
}

}  // namespace
}  // namespace holdfast
