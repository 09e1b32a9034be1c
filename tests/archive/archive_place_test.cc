// Tests what archive-to, and the options beside it, may say.
#include "server/archive/archive_place.h"

#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>

#include <fstream>
#include <sstream>

#include "server/archive/archive.h"
#include "server/archive/aws_credentials.h"
#include "server/logging/archive_log.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::server {
namespace {

using holdfast::testing::FailsNaming;
using holdfast::testing::must;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ArchivePlaceTest, IsADirectoryAProgramOrABucket) {
  EXPECT_EQ(std::get<DirectoryPlace>(must(parse_archive_place("directory:/a b"))).directory, "/a b");
  EXPECT_THAT(std::get<CommandPlace>(must(parse_archive_place("command:keep  --days 4"))).words,
              ElementsAre("keep", "--days", "4"));
  EXPECT_THAT(std::get<CommandPlace>(must(parse_archive_place("shell:gzip >$X"))).words,
              ElementsAre("/bin/sh", "-c", "gzip >$X"));
  const auto s3 = std::get<S3Place>(must(parse_archive_place("s3:https://s3.example.org/letters/a/b/")));
  EXPECT_EQ(s3.url.host, "s3.example.org");
  EXPECT_TRUE(s3.url.tls);
  EXPECT_EQ(s3.bucket, "letters");
  EXPECT_EQ(s3.prefix, "a/b");
  EXPECT_EQ(std::get<S3Place>(must(parse_archive_place("s3:http://[::1]:9000/letters"))).prefix, "");
}

TEST(ArchivePlaceTest, OtherThingsAreRefusedWithWhatIsWrong) {
  const auto refused = [](const std::string& text, const std::string& says) {
    EXPECT_THAT(parse_archive_place(text), FailsNaming(ErrorCode::kInvalidArgument, says)) << text;
  };
  refused("/var/archive", "'/var/archive' is not a place for an archive, which is directory:/path, command:");
  refused("directory:", "the path is missing");
  refused("command: ", "the program is missing");
  refused("shell: ", "the command is missing");
  refused("s3:letters", "begins with neither http:// nor https://");
  refused("s3:https://host", "the bucket is missing");
  refused("s3:https://host/Letters", "'Letters' is not the name of a bucket");
  refused("s3:https://host/ab", "'ab' is not the name of a bucket");
  refused("s3:https://host/letters?x=1", "has a query");
  refused("s3:https://host/letters//x", "has an empty part");
}

class ArchiveCheckTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(directory_ / "keys") << text;
    return (directory_ / "keys").string();
  }
  void refused(const ArchiveOptions& options, const std::string& says) {
    EXPECT_THAT(check_archive(options, warnings_), FailsNaming(ErrorCode::kInvalidArgument, says));
  }

  testing::TempDir directory_;
  std::vector<std::string> warnings_;
};

constexpr const char* kKeys =
    "[default]\n# of the backups\naws_access_key_id = A\naws_secret_access_key=B \n";

TEST_F(ArchiveCheckTest, KeysAreReadAsTheAwsToolsWriteThem) {
  const auto keys = must(load_aws_credentials(file(std::string(kKeys) + "region = eu-central-1\n")));
  EXPECT_EQ(keys.key_id, "A");
  EXPECT_EQ(keys.secret, "B");
  EXPECT_EQ(keys.session_token, "");
  EXPECT_THAT(load_aws_credentials(file("aws_access_key_id=A\n")),
              FailsNaming(ErrorCode::kInvalidArgument, "has no aws_secret_access_key"));
  EXPECT_THAT(load_aws_credentials(file("[other]\n")), FailsNaming(ErrorCode::kInvalidArgument, "line 1"));
  EXPECT_THAT(load_aws_credentials(directory_ / "absent"),
              FailsNaming(ErrorCode::kInvalidArgument, "No such file"));
}

TEST_F(ArchiveCheckTest, WhatCannotWorkIsRefusedBeforeTheStart) {
  must(check_archive({}, warnings_));
  must(check_archive({.to = "directory:" + (directory_ / "to" / "be" / "made").string()}, warnings_));
  must(check_archive({.to = "command:cat"}, warnings_));
  must(check_archive({.to = "s3:http://127.0.0.1:9000/letters", .credentials = file(kKeys)}, warnings_));
  EXPECT_THAT(warnings_, IsEmpty());
  must(check_archive({.to = "s3:http://s3.example.org/letters", .credentials = file(kKeys)}, warnings_));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("unencrypted")));
  refused({.to = "directory:" + file("") + "/below"}, "is not a directory");
  refused({.to = "command:no-such-program x"}, "archive-to: command: 'no-such-program' is not a program");
  refused({.to = "command:" + file("")}, "is not a program that can be run");
  refused({.to = "s3:https://host/letters", .credentials = directory_ / "absent"}, "archive-credentials: ");
  refused({.to = "command:cat", .credentials = file(kKeys)},
          "archive-credentials: only an s3: place uses them");
  refused({.credentials = file(kKeys)}, "archive-credentials: only an s3: place uses them");
}

TEST(ArchiveLogTest, SaysWhenNothingIsTakenAndWhenItIsAgain) {
  std::ostringstream text;
  spdlog::logger log("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  ArchiveLog archive(log);
  const auto note = [&](const Result<void>& last) {
    text.str({});
    archive.note({.last = last});
    return text.str();
  };
  EXPECT_THAT(note({}), IsEmpty());
  EXPECT_THAT(note(fail(ErrorCode::kUnavailable, "answered 503")),
              HasSubstr("not archived and stay in their queues: answered 503"));
  EXPECT_THAT(note(fail(ErrorCode::kUnavailable, "answered 503")), IsEmpty());
  EXPECT_THAT(note(fail(ErrorCode::kUnavailable, "answered 403")), HasSubstr("answered 403"));
  EXPECT_THAT(note({}), HasSubstr("archived again"));
  EXPECT_THAT(note({}), IsEmpty());
}

}  // namespace
}  // namespace holdfast::server
