// Dead letters become objects of a bucket. These tests say where each object is put, how it is signed, and
// what is tried again.
#include "server/archive/s3_sink.h"

#include <gmock/gmock.h>

#include "engine/storage/files/archive_file.h"
#include "tests/support/archive.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"
#include "tests/support/s3_server.h"

namespace holdfast::server {
namespace {

using holdfast::testing::FailsNaming;
using holdfast::testing::FailsWith;
using holdfast::testing::HttpServer;
using holdfast::testing::must;
using holdfast::testing::S3Server;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

const ArchiveBatch kBatch{.queue = "orders-dlq", .name = "20260301T093000Z-5f0c", .lines = {"{}", "[]"}};

class S3SinkTest : public ::testing::Test {
 protected:
  S3Place place(const std::string& path = "/letters/of/ours") {
    return std::get<S3Place>(must(parse_archive_place("s3:" + server_.http().url(path))));
  }
  S3Options options() {
    return {.region = S3Server::kRegion,
            .credentials = [this] { return Result<AwsCredentials>(keys_); },
            .backoff = 0s,
            .clock = &clock_};
  }

  testing::ManualClock clock_;
  AwsCredentials keys_{.key_id = S3Server::kKeyId, .secret = S3Server::kSecret};
  S3Server server_;
  std::stop_source stop_;
};

// Amazon's reference of S3 signs this request as its example of a PUT.
TEST(S3Signature, IsThatOfThePublishedExample) {
  const std::string digest = sha256_hex("Welcome to Amazon S3.");
  const aws::SignedRequest request{.method = "PUT",
                                   .path = "/test%24file.text",
                                   .headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                                               {"host", "examplebucket.s3.amazonaws.com"},
                                               {"x-amz-content-sha256", digest},
                                               {"x-amz-date", "20130524T000000Z"},
                                               {"x-amz-storage-class", "REDUCED_REDUNDANCY"}},
                                   .body_digest = digest};
  EXPECT_EQ(aws::signature_of(request, {.date = "20130524", .region = "us-east-1", .service = "s3"},
                              S3Server::kSecret),
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST_F(S3SinkTest, PutsABatchWhereItsNameSays) {
  S3Sink sink(place(), options());
  must(sink.write(kBatch, stop_.get_token()));
  must(sink.write(kBatch, stop_.get_token()));
  const auto objects = server_.objects();
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects.begin()->first, "/letters/of/ours/orders-dlq/20260301T093000Z-5f0c.jsonl.zst");
  EXPECT_EQ(testing::lines_of(objects.begin()->second), "{}\n[]\n");
}

TEST_F(S3SinkTest, NeedsNoPrefixAndEncodesWhatItHas) {
  must(S3Sink(place("/letters"), options()).write(kBatch, stop_.get_token()));
  EXPECT_TRUE(server_.objects().contains("/letters/orders-dlq/20260301T093000Z-5f0c.jsonl.zst"));
  must(S3Sink(place("/letters/a+b"), options()).write(kBatch, stop_.get_token()));
  EXPECT_TRUE(server_.objects().contains("/letters/a%2Bb/orders-dlq/20260301T093000Z-5f0c.jsonl.zst"));
}

TEST_F(S3SinkTest, SignsTheTokenOfKeysThatHoldForATime) {
  keys_.session_token = "session";
  must(S3Sink(place(), options()).write(kBatch, stop_.get_token()));
  const auto requests = server_.http().wait_for(1);
  EXPECT_THAT(requests[0].head,
              AllOf(HasSubstr("x-amz-security-token: session\r\n"),
                    HasSubstr("SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,")));
}

TEST_F(S3SinkTest, SaysWhatTheOtherSideAnswered) {
  keys_.secret = "another";
  EXPECT_THAT(S3Sink(place(), options()).write(kBatch, stop_.get_token()),
              FailsNaming(ErrorCode::kUnavailable, "answered 403 SignatureDoesNotMatch: The signature is"));
  EXPECT_EQ(server_.http().count(), 1U);  // another try would be refused too
  EXPECT_TRUE(server_.objects().empty());
}

TEST_F(S3SinkTest, TriesAgainWhatMayBeTakenLater) {
  server_.http().answer({503, HttpServer::kNoAnswer});
  must(S3Sink(place(), options()).write(kBatch, stop_.get_token()));
  EXPECT_EQ(server_.http().count(), 3U);
  EXPECT_EQ(server_.objects().size(), 1U);
  server_.http().answer({500, 500, 500});
  EXPECT_THAT(S3Sink(place(), options()).write(kBatch, stop_.get_token()),
              FailsNaming(ErrorCode::kUnavailable, "answered 500"));
}

TEST_F(S3SinkTest, EndsWhenItIsToldTo) {
  server_.http().answer({HttpServer::kSilence});
  S3Options patient = options();
  patient.timeout = 1h;
  S3Sink sink(place(), patient);
  std::thread stopper([&] {
    server_.http().wait_for(1);
    stop_.request_stop();
  });
  EXPECT_THAT(sink.write(kBatch, stop_.get_token()), FailsWith(ErrorCode::kClosed));
  stopper.join();
}

TEST_F(S3SinkTest, WithoutCredentialsNothingIsSent) {
  S3Options without = options();
  without.credentials = [] { return Result<AwsCredentials>(fail(ErrorCode::kInvalidArgument, "no keys")); };
  EXPECT_THAT(S3Sink(place(), without).write(kBatch, stop_.get_token()),
              FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_EQ(server_.http().count(), 0U);
}

}  // namespace
}  // namespace holdfast::server
