// The lines in which an archive has dead letters, and the files that have the lines.
#include "engine/codec/dead_letters/archive_line.h"
#include "engine/codec/encoding/json.h"
#include "engine/storage/files/archive_file.h"
#include "tests/support/archive.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

DeadLetter letter_of(std::string_view body) {
  DeadLetter letter;
  letter.body = body;
  return letter;
}

TEST(ArchiveLine, RefusesWhatIsMalformed) {
  DeadLetter letter = letter_of("x");
  const std::string line = archive_line("dlq", letter);
  EXPECT_EQ(must(parse_archive_line(line)).body, "x");
  letter.redacted = {"body"};
  for (const std::string& text :
       {archive_line("dlq", letter), std::string(), std::string("{}"), std::string("[]"),
        line.substr(0, line.size() / 2), std::string(R"({"format":1,"record_base64":"!!!!"})"),
        std::string(R"({"format":2})")}) {
    EXPECT_THAT(parse_archive_line(text), FailsWith(ErrorCode::kInvalidArgument)) << text;
  }
}

// Each value takes far more memory than it has bytes in the line.
TEST(ArchiveLine, RefusesMoreValuesThanOneCanHave) {
  std::string line = R"({"format":1,"attributes_base64":["")";
  for (int i = 0; i < 200'000; ++i) line += R"(,"")";
  const auto refused = parse_archive_line(line + "]}");
  ASSERT_THAT(refused, FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("has more than 100000 values"));
}

// Makes a dead letter that has a value in every field.
DeadLetter full_letter() {
  DeadLetter letter = letter_of(R"({"quantity": 0})");
  letter.attributes = {{.name = "customer", .value = "4711"},
                       {.name = "k", .value = std::string("\0\xff", 2)}};
  FailureRecord& record = letter.record;
  record.source_queue = "orders";
  record.category = "validation";
  record.reason = "quantity must be > 0";
  record.stack_trace = "main\nparse";
  record.causes = {{.code = "E1", .message = "zero"}};
  record.partial_output = "half";
  record.attempts.kept = {{.failed_at = kTestEpoch, .failure = {.reason = "no answer"}}};
  record.first_death.emplace().reason = "the first time";
  letter.triage.notes = {{.at = kTestEpoch, .actor = "ann", .text = "called them"}};
  letter.triage.audit = {{.at = kTestEpoch, .actor = "ann", .action = "assigned to ann"}};
  letter.original.emplace().body = "\xff";
  return letter;
}

TEST(ArchiveLine, SaysAllThatIsKnownInTheClear) {
  const DeadLetter letter = full_letter();
  const std::string line = archive_line("dlq", letter);
  const Json json = parse_json(line);
  EXPECT_EQ(json.at("body"), R"({"quantity": 0})");
  EXPECT_EQ(json.at("attributes").at(0).at("value"), "4711");
  EXPECT_EQ(json.at("attributes").at(1).at("value_base64"), "AP8=");
  EXPECT_EQ(json.at("reason"), "quantity must be > 0");
  EXPECT_EQ(json.at("stack_trace"), "main\nparse");
  EXPECT_EQ(json.at("causes").at(0).at("message"), "zero");
  EXPECT_EQ(json.at("partial_output"), "half");
  EXPECT_EQ(json.at("attempts").at(0).at("failure").at("reason"), "no answer");
  EXPECT_EQ(json.at("first_death").at("reason"), "the first time");
  EXPECT_EQ(json.at("triage").at("notes").at(0).at("text"), "called them");
  EXPECT_EQ(json.at("triage").at("audit").at(0).at("action"), "assigned to ann");
  EXPECT_EQ(json.at("original_body_base64"), "/w==");
  EXPECT_EQ(must(parse_archive_line(line)), letter);
}

// A line that says the same in base64 is read too. Earlier versions wrote such lines, and so does this one
// where a line would otherwise be too long.
TEST(ArchiveLine, MayHaveEverythingInBase64) {
  const DeadLetter letter = full_letter();
  Json json = parse_json(archive_line("dlq", letter));
  json.erase("body");
  json["body_base64"] = "eyJxdWFudGl0eSI6IDB9";
  json.erase("attributes");
  json["attributes_base64"] = {"Y3VzdG9tZXI=", "NDcxMQ==", "aw==", "AP8="};
  EXPECT_EQ(must(parse_archive_line(dump_json(json))), letter);
}

TEST(ArchiveLine, ATextIsReadWhateverItsCharacters) {
  for (const std::string& body : {std::string("\0\x01\x7f\"\\/", 6), std::string("größe, [{\n\t"),
                                  std::string(), std::string(1000, '"'), std::string(100'001, ',')}) {
    const DeadLetter letter = letter_of(body);
    EXPECT_EQ(must(parse_archive_line(archive_line("dlq", letter))).body, body);
  }
}

// The reason is all commas, which must not count as values. Each character of the other texts takes six in
// the line.
TEST(ArchiveLine, OfTheLargestLetterIsRead) {
  DeadLetter letter;
  letter.body.assign(limits::kBodyBytesMax, '\xff');
  letter.original.emplace().body = letter.body;
  letter.attributes = letter.original->attributes = Attributes(
      limits::kAttributes,
      {.name = "n", .value = std::string(limits::kAttributesTotalBytes / limits::kAttributes - 1, 'v')});
  FailureRecord& record = letter.record;
  record.reason.assign(limits::kReasonBytes, ',');
  record.stack_trace.assign(limits::kStackTraceBytes, '\x01');
  record.partial_output.assign(limits::kPartialOutputBytes, '\x01');
  record.causes.assign(limits::kNestedErrors, {.message = std::string(limits::kNestedErrorBytes, '\x01')});
  record.attempts.kept.assign(limits::kFirstAttempts + limits::kLastAttempts, {});
  letter.triage.notes.assign(limits::kTriageNotes, {.text = std::string(limits::kNoteBytes, '\x01')});
  letter.triage.audit.assign(limits::kAuditEntries, {.action = std::string(limits::kNoteBytes, '\x01')});
  const std::string line = archive_line("dlq", letter);
  EXPECT_LE(line.size(), limits::kArchiveLineBytes);
  EXPECT_GT(line.size(), limits::kArchiveLineBytes - (1 << 20));
  const DeadLetter again = must(parse_archive_line(line));
  EXPECT_TRUE(again.body == letter.body);
  EXPECT_TRUE(again.record == record);
}

TEST(ArchiveFile, ATornFrameIsLeftOut) {
  const std::string whole = must(compress_lines({"a", "b"}));
  const std::string next = must(compress_lines({"c"}));
  const auto torn = [](std::string_view bytes) { return must(ArchiveReader::open(bytes)).torn(); };
  EXPECT_EQ(lines_of(whole + next), "a\nb\nc\n");
  EXPECT_FALSE(torn(whole + next));
  for (std::size_t cut = 0; cut < next.size(); ++cut) {
    const std::string bytes = whole + next.substr(0, cut);
    EXPECT_EQ(lines_of(bytes), "a\nb\n");
    EXPECT_EQ(torn(bytes), cut > 0) << cut;
  }
  EXPECT_THAT(ArchiveReader::open(""), FailsWith(ErrorCode::kCorruption));
}

TEST(ArchiveFile, NothingIsTakenOfADamagedOne) {
  const std::string bytes = must(compress_lines({"a"})) + "no frame";
  EXPECT_THAT(ArchiveReader::open(bytes), FailsWith(ErrorCode::kCorruption));
}

TEST(ArchiveFile, AFlippedBitIsNamed) {
  const std::vector<std::string> texts{archive_line("dlq", letter_of("first")),
                                       archive_line("dlq", letter_of("second"))};
  std::string bytes = must(compress_lines({texts[0]})) + must(compress_lines({texts[1]}));
  const std::string lines = lines_of(bytes);
  const auto harms = [&] {
    const auto reader = ArchiveReader::open(bytes);
    if (!reader || reader->torn() || lines_of(bytes) == lines) return false;
    // Bytes that do not begin as a frame are read as lines. These lines are not lines of an archive.
    bool refused = false;
    must(reader->for_each_line([&](std::string_view line) {
      refused = refused || !parse_archive_line(line);
      return Result<void>();
    }));
    return !refused;
  };
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    char& byte = bytes[bit / 8];
    const char before = byte;
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    EXPECT_FALSE(harms()) << "bit " << bit;
    byte = before;
  }
}

TEST(ArchiveFile, ALineMayGoOnInTheNextFrameAndNeedsNoEnd) {
  EXPECT_EQ(
      lines_of(repeating_frame('a', 1) + must(compress_lines({"b", "", "c"})) + repeating_frame('d', 2)),
      std::string(128 << 10, 'a') + "b\n\nc\n" + std::string(256 << 10, 'd') + "\n");
  EXPECT_EQ(lines_of("plain\n\nlines"), "plain\n\nlines\n");
}

// 32 KiB of frames hold a line of a GiB.
TEST(ArchiveFile, OfALineThatIsTooLongNoMoreIsKeptThanShowsIt) {
  const std::string bytes = repeating_frame('x', 8192) + must(compress_lines({"", "next"}));
  std::vector<std::size_t> sizes;
  must(must(ArchiveReader::open(bytes)).for_each_line([&sizes](std::string_view line) {
    if (sizes.empty()) {
      EXPECT_THAT(parse_archive_line(line), FailsWith(ErrorCode::kInvalidArgument));
    }
    sizes.push_back(line.size());
    return Result<void>();
  }));
  EXPECT_THAT(sizes, ::testing::ElementsAre(limits::kArchiveLineBytes + 1, 4U));
}

TEST(ArchiveFile, AnErrorEndsTheReading) {
  int taken = 0;
  const std::string bytes = must(compress_lines({"a", "b", "c"}));
  EXPECT_THAT(must(ArchiveReader::open(bytes)).for_each_line([&taken](std::string_view) -> Result<void> {
    if (++taken < 2) return {};
    return fail(ErrorCode::kDiskFull, "full");
  }),
              FailsWith(ErrorCode::kDiskFull));
  EXPECT_EQ(taken, 2);
}

}  // namespace
}  // namespace holdfast::testing
