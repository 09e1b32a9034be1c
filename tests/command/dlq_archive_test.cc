// dlq export and dlq import: what was exported comes back, and what is damaged, malformed or redacted is
// refused or named.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/command/dlq_fixture.h"
#include "tests/support/archive.h"

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
  const Outcome imported = holdfast({"dlq", "import", "orders-dlq", file});
  EXPECT_EQ(imported.out, "imported 2 dead letters into orders-dlq\n");
  EXPECT_EQ(imported.err, "");
  EXPECT_THAT(holdfast({"dlq", "import", "orders", file}).err,
              HasSubstr("'orders' dead-letters to 'orders-dlq' itself: its consumers receive these"));
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
  EXPECT_FALSE(std::filesystem::exists("-"));
}

// An export writes under another name first. What others have under such a name is theirs.
TEST_F(DlqArchive, ExportTouchesNoFileButItsOwn) {
  const auto folder = dir_ / "exports";
  std::filesystem::create_directory(folder);
  const auto content = [](const std::filesystem::path& file) {
    return (std::ostringstream() << std::ifstream(file).rdbuf()).str();
  };
  std::ofstream(folder / "a.zst.part") << "precious";
  std::filesystem::create_symlink(folder / "a.zst.part", folder / "b.zst.part");
  std::filesystem::create_directory(folder / "c.zst.part");
  for (const char* name : {"a.zst", "b.zst", "c.zst"}) {
    EXPECT_EQ(holdfast({"dlq", "export", "orders-dlq", folder / name}).status, 0) << name;
    EXPECT_EQ(std::filesystem::status(folder / name).permissions(),
              std::filesystem::status(folder / "a.zst.part").permissions());
  }
  EXPECT_EQ(holdfast({"dlq", "export", "nowhere", folder / "d.zst"}).status, 4);
  EXPECT_EQ(holdfast({"dlq", "export", "orders-dlq", folder / "missing" / "e.zst"}).status, 2);
  EXPECT_EQ(content(folder / "a.zst.part"), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "b.zst.part"));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "c.zst.part"));
  const std::filesystem::directory_iterator files(folder);
  EXPECT_EQ(std::distance(begin(files), end(files)), 6) << "no part of an export is left";
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
  std::ofstream(lines) << testing::lines_of(frames);
  const auto before = holdfast_json({"dlq", "list", "orders-dlq", "--bodies"}).objects();
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", lines.string()}).out,
            "imported 3 dead letters into orders-dlq\n");
  const auto after = holdfast_json({"dlq", "list", "orders-dlq", "--bodies"}).objects();
  ASSERT_EQ(after.size(), 3U);
  EXPECT_EQ(after[0].at("id"), before[0].at("id"));
  EXPECT_EQ(after[0].at("body"), before[0].at("body"));
}

// A program that edits lines may make one that no message can be.
TEST_F(DlqArchive, ALineThatBreaksALimitIsNamedAndTheOthersAreImported) {
  const auto file = dir_ / "letters.zst";
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file.string()}).status, 0);
  std::string lines = testing::lines_of((std::ostringstream() << std::ifstream(file).rdbuf()).str());
  const std::size_t second = lines.find('\n') + 1;
  const std::size_t end = lines.find('\n', second);
  auto edited = nlohmann::json::parse(lines.substr(second, end - second));
  edited["attributes"].push_back({{"name", ""}, {"value", "of nothing"}});
  lines.replace(second, end - second, edited.dump());
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  const Outcome outcome = holdfast({"dlq", "import", "orders-dlq", "-"}, lines);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.out, HasSubstr("imported 2 dead letters into orders-dlq\n"));
  EXPECT_THAT(outcome.out, HasSubstr("refused 1 malformed line\n"));
  EXPECT_THAT(outcome.err, HasSubstr("line 2: "));
}

TEST_F(DlqArchive, StandardInputIsImported) {
  const auto file = dir_ / "letters.jsonl.zst";
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file.string()}).status, 0);
  const std::string frames = (std::ostringstream() << std::ifstream(file).rdbuf()).str();
  const std::string lines = testing::lines_of(frames);
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  const std::string first = lines.substr(0, lines.find('\n'));  // without a line break at its end
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}, first).out,
            "imported 1 dead letter into orders-dlq\n");
  EXPECT_EQ(holdfast_json({"dlq", "import", "orders-dlq", "-"}, frames).objects().at(0).at("imported"), 2);
  const Outcome damaged = holdfast({"dlq", "import", "orders-dlq", "-"}, lines.substr(0, lines.size() / 2));
  EXPECT_EQ(damaged.status, 2);
  EXPECT_THAT(damaged.err, HasSubstr("-, line 2: not a line of a dead letter archive"));
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}).status, 13);
  EXPECT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}, frames.substr(0, 3)).status, 13);
}

TEST_F(DlqArchive, WhatCannotBeReadIsNotImported) {
  const Outcome directory = holdfast({"dlq", "import", "orders-dlq", dir_.path().string()});
  EXPECT_EQ(directory.status, 2);
  EXPECT_THAT(directory.err, HasSubstr("cannot read " + dir_.path().string()));
  BrokenBuffer buffer("{");
  std::istream lines(&buffer);
  const Outcome broken = holdfast({"dlq", "import", "orders-dlq", "-"}, lines);
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, HasSubstr("cannot read standard input"));
  EXPECT_EQ(broken.out, "");
}

// 32 KiB of frames hold a line of a GiB.
TEST_F(DlqArchive, ALineThatIsLongerThanOneCanBeIsMalformed) {
  const std::string file = (dir_ / "letters.jsonl.zst").string();
  ASSERT_EQ(holdfast({"dlq", "export", "orders-dlq", file}).status, 0);
  const std::string letters = (std::ostringstream() << std::ifstream(file).rdbuf()).str();
  ASSERT_EQ(holdfast({"queue", "purge", "orders-dlq", "--yes"}).status, 0);
  const Outcome outcome =
      holdfast({"dlq", "import", "orders-dlq", "-"},
               testing::repeating_frame(' ', 8192) + compress_lines({""}).value() + letters);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("-, line 1: not a line of a dead letter archive: longer than one can be"));
  EXPECT_EQ(outcome.out, "imported 3 dead letters into orders-dlq\nrefused 1 malformed line\n");
}

TEST_F(DlqArchive, AnArchiveThatIsFarLargerThanItsFileIsImported) {
  DeadLetter letter;
  letter.id = letter.record.message_id = *MessageId::parse("01890a5d-ac96-774b-bcce-b302099a8057");
  letter.body.assign(100'000, 'x');
  letter.record.cause = DeathCause::kExpired;
  letter.record.source_queue = "orders";
  letter.record.sent_at = letter.record.died_at = Timestamp(std::chrono::hours(24 * 365 * 50));
  const std::string frame =
      compress_lines(std::vector<std::string>(10, archive_line("orders-dlq", letter))).value();
  std::string frames;
  for (int i = 0; i < 100; ++i) frames += frame;
  ASSERT_LT(frames.size(), letter.body.size() * 10);
  const Outcome outcome = holdfast({"dlq", "import", "orders-dlq", "-"}, frames);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "imported 1 dead letter into orders-dlq\nskipped 999 that exist already\n");
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
