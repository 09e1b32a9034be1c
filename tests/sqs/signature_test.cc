// AWS Signature Version 4 against values that AWS has published: the example of its general reference (IAM,
// ListUsers) and cases of its test suite, all of them signed with the same secret at the same time.
#include "server/sqs/signature.h"
#include "server/signing/aws_signature.h"
#include "server/signing/digests.h"
#include "tests/support/result_matchers.h"

namespace holdfast::server::sqs {
namespace {

using boost::beast::http::field;
using boost::beast::http::verb;
using ::testing::ElementsAre;

constexpr std::string_view kSecret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const auto kSigned = std::chrono::sys_days(std::chrono::year(2015) / 8 / 30) + std::chrono::hours(12) +
                     std::chrono::minutes(36);

HttpRequest request(verb method, const std::string& target) {
  HttpRequest made(method, target, 11);
  made.set(field::host, "example.amazonaws.com");
  made.set("X-Amz-Date", "20150830T123600Z");
  return made;
}

Authorization authorization(const std::string& service = "service") {
  return {.access_key_id = "AKIDEXAMPLE",
          .date = "20150830",
          .region = "us-east-1",
          .service = service,
          .signed_headers = {"host", "x-amz-date"},
          .signature = {}};
}

TEST(SignatureTest, TheKeyIsDerivedAsPublished) {
  EXPECT_EQ(hex(aws::signing_key(kSecret, {.date = "20150830", .region = "us-east-1", .service = "iam"})),
            "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
}

TEST(SignatureTest, TheExampleOfTheReferenceIsSignedAsPublished) {
  HttpRequest made = request(verb::get, "/?Action=ListUsers&Version=2010-05-08");
  made.set(field::host, "iam.amazonaws.com");
  made.set(field::content_type, "application/x-www-form-urlencoded; charset=utf-8");
  Authorization said = authorization("iam");
  said.signed_headers = {"content-type", "host", "x-amz-date"};
  EXPECT_EQ(sha256_hex(canonical_request(made, said)),
            "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
  EXPECT_EQ(signature_of(made, said, kSecret),
            "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(SignatureTest, CasesOfTheSuiteAreSignedAsPublished) {
  EXPECT_EQ(signature_of(request(verb::get, "/"), authorization(), kSecret),
            "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");  // get-vanilla
  EXPECT_EQ(signature_of(request(verb::post, "/"), authorization(), kSecret),
            "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");  // post-vanilla
  EXPECT_EQ(
      signature_of(request(verb::get, "/?Param2=value2&Param1=value1"), authorization(), kSecret),
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");  // get-vanilla-query-order-key-case
  HttpRequest blanks = request(verb::get, "/");
  blanks.set("My-Header1", " value1");
  blanks.set("My-Header2", " \"a   b   c\"");
  Authorization said = authorization();
  said.signed_headers = {"host", "my-header1", "my-header2", "x-amz-date"};
  EXPECT_EQ(signature_of(blanks, said, kSecret),
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");  // get-header-value-trim
}

TEST(SignatureTest, TheHeaderIsTakenApart) {
  HttpRequest made = request(verb::post, "/");
  EXPECT_FALSE(read_authorization(made));
  made.set(field::authorization, "Bearer x");
  EXPECT_FALSE(read_authorization(made));
  made.set(field::authorization,
           "AWS4-HMAC-SHA256 Credential=a/20150830/us-east-1/sqs/other, SignedHeaders=host, Signature=0");
  EXPECT_FALSE(read_authorization(made));
  made.set(field::authorization,
           "AWS4-HMAC-SHA256 Credential=team/app/20150830/eu-west-1/sqs/aws4_request, "
           "SignedHeaders=host;x-amz-date,Signature=abc");
  const auto read = read_authorization(made);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->access_key_id, "team/app");
  EXPECT_EQ(read->region, "eu-west-1");
  EXPECT_THAT(read->signed_headers, ElementsAre("host", "x-amz-date"));
  EXPECT_EQ(read->signature, "abc");
}

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() { said_.signature = signature_of(request_, said_, kSecret); }

  FaultCode refusal(std::chrono::system_clock::time_point now = kSigned) const {
    const auto checked = check_signature(request_, said_, kSecret, now);
    return checked ? FaultCode::kInternalFailure : checked.error().code;
  }

  HttpRequest request_ = request(verb::post, "/");
  Authorization said_ = authorization("sqs");
};

TEST_F(CheckTest, AGoodSignatureHoldsForAQuarterOfAnHourBothWays) {
  using std::chrono::minutes, std::chrono::seconds;
  EXPECT_TRUE(check_signature(request_, said_, kSecret, kSigned));
  EXPECT_TRUE(check_signature(request_, said_, kSecret, kSigned + minutes(15)));
  EXPECT_TRUE(check_signature(request_, said_, kSecret, kSigned - minutes(15)));
  EXPECT_EQ(refusal(kSigned + minutes(15) + seconds(1)), FaultCode::kSignatureDoesNotMatch);
  EXPECT_EQ(refusal(kSigned - minutes(15) - seconds(1)), FaultCode::kSignatureDoesNotMatch);
}

TEST_F(CheckTest, WhatWasChangedAfterSigningIsRefused) {
  EXPECT_FALSE(check_signature(request_, said_, "other", kSigned));
  request_.body() = "x";
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
  request_.body().clear();
  request_.target("/other");
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
  request_.target("/");
  request_.set(field::host, "elsewhere");
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
  request_.set(field::host, "example.amazonaws.com");
  EXPECT_TRUE(check_signature(request_, said_, kSecret, kSigned));
  said_.signature.pop_back();
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
}

TEST_F(CheckTest, WhatSaysTheOperationIsSigned) {
  request_.set("X-Amz-Target", "AmazonSQS.DeleteQueue");
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
  said_.signed_headers = {"host", "x-amz-date", "x-amz-target"};
  said_.signature = signature_of(request_, said_, kSecret);
  EXPECT_TRUE(check_signature(request_, said_, kSecret, kSigned));
  request_.set("X-Amz-Target", "AmazonSQS.PurgeQueue");
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
}

TEST_F(CheckTest, WhatDoesNotSayWhenAndWhereIsRefused) {
  Authorization other = authorization("iam");
  other.signature = signature_of(request_, other, kSecret);
  EXPECT_FALSE(check_signature(request_, other, kSecret, kSigned));
  Authorization without_host = said_;
  without_host.signed_headers = {"x-amz-date"};
  without_host.signature = signature_of(request_, without_host, kSecret);
  EXPECT_FALSE(check_signature(request_, without_host, kSecret, kSigned));
  for (const char* date : {"", "20150830", "20151330T123600Z", "20150830T12360xZ", "20150830T126000Z",
                           "x0150830T123600Z", "20150831T123600Z"}) {
    request_.set("X-Amz-Date", date);
    said_.signature = signature_of(request_, said_, kSecret);
    EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch) << date;
  }
}

// The nanoseconds from 1970 to this year, of which 64 bits are kept, are those of kSigned.
TEST_F(CheckTest, AYearFarAwayIsNotNow) {
  said_.date = "26000320";
  request_.set("X-Amz-Date", "26000320T121034Z");
  said_.signature = signature_of(request_, said_, kSecret);
  EXPECT_EQ(refusal(), FaultCode::kSignatureDoesNotMatch);
}

}  // namespace
}  // namespace holdfast::server::sqs
