#include <filesystem>
#include <fstream>

#include "dlq_fixture.h"
#include "storage/archive_file.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

using DlqArchive = DlqTest;

TEST_F(DlqArchive, ExportComesBackByImport) {
  const std::string file = (dir_ / "letters.jsonl.zst").string();
  EXPECT_THAT(holdfast({"dlq", "export", "orders-dlq", file, "--category", "validation"}).out,
              HasSubstr("exported 2 dead letters"));
  const auto before =
      holdfast_json({"dlq", "list", "orders-dlq", "--category", "validation", "--bodies"}).objects();
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", file}).out, "imported 2 dead letters into orders-dlq\n");
  EXPECT_EQ(holdfast_json({"dlq", "import", "orders-dlq", file}).objects().at(0).at("duplicates"), 2);
  const auto after = holdfast_json({"dlq", "list", "orders-dlq", "--bodies"}).objects();
  ASSERT_EQ(after.size(), 2);
  EXPECT_EQ(after[0].at("id"), before[0].at("id"));
  EXPECT_EQ(after[1].at("body"), before[1].at("body"));
}

TEST_F(DlqArchive, ExportReplacesAFileOnlyIfForced) {
  const auto file = dir_ / "letters.jsonl.zst";
  std::ofstream(file) << "precious";
  const auto content = [&] { return (std::ostringstream() << std::ifstream(file).rdbuf()).str(); };
  EXPECT_EQ(holdfast({"dlq", "export", "orders-dlq", file.string()}).status, 2);
  EXPECT_EQ(holdfast({"dlq", "export", "nowhere", file.string(), "--force"}).status, 4);
  EXPECT_EQ(content(), "precious");
  EXPECT_EQ(holdfast({"dlq", "export", "orders-dlq", file.string(), "--force"}).status, 0);
  const Outcome piped = holdfast({"dlq", "export", "orders-dlq", "-"});
  EXPECT_EQ(piped.out, content());
  EXPECT_EQ(piped.err, "exported 3 dead letters of orders-dlq\n");
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST_F(DlqArchive, ARedactedExportIsNotImported) {
  const std::string file = (dir_ / "letters.jsonl.zst").string();
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file, "--redact"}).status, 0);
  const Outcome outcome = holdfast({"dlq", "import", "orders-dlq", file});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("line 1: not a line of a dead letter archive: it was redacted"));
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "/nowhere/at.all"}).status, 2);
}

TEST_F(DlqArchive, AnArchiveThatIsCutOffIsAnError) {
  const std::string file = (dir_ / "letters.jsonl.zst").string();
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file}).status, 0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  const Outcome outcome = holdfast({"dlq", "import", "orders-dlq", file});
  EXPECT_EQ(outcome.status, 13);
  EXPECT_THAT(outcome.err, HasSubstr("is cut off"));
  std::filesystem::resize_file(file, 0);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", file}).status, 13);
}

TEST_F(DlqArchive, PlainLinesAreImportedToo) {
  const auto lines = dir_ / "letters.jsonl";
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", (dir_ / "a.zst").string()}).status, 0);
  const std::string frames = (std::ostringstream() << std::ifstream(dir_ / "a.zst").rdbuf()).str();
  std::ofstream(lines) << decompress(frames).value().lines;
  const auto before = holdfast_json({"dlq", "list", "orders-dlq", "--bodies"}).objects();
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", lines.string()}).out,
            "imported 3 dead letters into orders-dlq\n");
  const auto after = holdfast_json({"dlq", "list", "orders-dlq", "--bodies"}).objects();
  ASSERT_EQ(after.size(), 3U);
  EXPECT_EQ(after[0].at("id"), before[0].at("id"));
  EXPECT_EQ(after[0].at("body"), before[0].at("body"));
}

TEST_F(DlqArchive, StandardInputIsImported) {
  const auto file = dir_ / "letters.jsonl.zst";
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file.string()}).status, 0);
  const std::string frames = (std::ostringstream() << std::ifstream(file).rdbuf()).str();
  const std::string lines = decompress(frames).value().lines;
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  const std::string first = lines.substr(0, lines.find('\n'));  // without an end
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}, first).out,
            "imported 1 dead letter into orders-dlq\n");
  EXPECT_EQ(holdfast_json({"dlq", "import", "orders-dlq", "-"}, frames).objects().at(0).at("imported"), 2);
  const Outcome damaged = holdfast({"dlq", "import", "orders-dlq", "-"}, lines.substr(0, lines.size() / 2));
  EXPECT_EQ(damaged.status, 2);
  EXPECT_THAT(damaged.err, HasSubstr("-, line 2: not a line of a dead letter archive"));
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}).status, 13);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}, frames.substr(0, 3)).status, 13);
}

TEST_F(DlqArchive, WhatNeverFailedComesBackSo) {
  import_expired();
  const auto file = (dir_ / "late.jsonl.zst").string();
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file, "--cause", "expired"}).status, 0);
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", file}).out, "imported 1 dead letter into orders-dlq\n");
  EXPECT_TRUE(holdfast_json({"dlq", "list", "orders-dlq"}).objects().at(0).at("first_failed_at").is_null());
}

}  // namespace
}  // namespace holdfast::command
