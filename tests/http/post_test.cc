// POSTs to a URL: the status comes back, and a call that gets no answer, hangs in a lookup or is cancelled
// ends.
#include "schema/http/post.h"

#include <gmock/gmock.h>

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "tests/support/http_server.h"
#include "tests/support/result_matchers.h"

namespace holdfast::http {
namespace {

using holdfast::testing::FailsNaming;
using holdfast::testing::FailsWith;
using holdfast::testing::HttpServer;
using holdfast::testing::must;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Looks up hosts, but not before the test lets it.
struct HangingResolver {
  // The resolver may outlive the test.
  static Resolve of(std::shared_ptr<HangingResolver> shared) {
    return [shared = std::move(shared)](const std::string&) -> Result<Addresses> {
      if (++shared->calls == 1) shared->called.count_down();
      shared->let.wait();
      return Addresses{"127.0.0.1"};
    };
  }

  std::atomic<int> calls = 0;
  std::latch called{1};
  std::latch let{1};
};

class PostTest : public ::testing::Test {
 protected:
  Url url() { return must(parse_url(server_.url("/hook?a=b"))); }

  HttpServer server_;
  Poster poster_{url()};
};

TEST_F(PostTest, SendsJsonAndGivesTheStatus) {
  EXPECT_EQ(must(poster_.post(R"({"a":1})")), 200U);
  server_.answer({204, 503});
  EXPECT_EQ(must(poster_.post("{}")), 204U);
  EXPECT_EQ(must(poster_.post(std::string(100'000, 'x'))), 503U);
  const auto requests = server_.wait_for(3);
  EXPECT_THAT(requests[0].head, StartsWith("POST /hook?a=b HTTP/1.1\r\n"));
  EXPECT_THAT(requests[0].head, HasSubstr("Content-Type: application/json"));
  EXPECT_THAT(requests[0].head, HasSubstr("Host: " + url().authority()));
  EXPECT_EQ(requests[0].body, R"({"a":1})");
  EXPECT_EQ(requests[2].body.size(), 100'000U);
}

TEST_F(PostTest, NoAnswerIsAnError) {
  server_.answer({HttpServer::kNoAnswer});
  EXPECT_THAT(poster_.post("{}"), FailsWith(ErrorCode::kUnavailable));
  EXPECT_EQ(must(poster_.post("{}")), 200U);  // the server answers the second call
  Poster nobody(must(parse_url("http://127.0.0.1:1/")));
  EXPECT_THAT(nobody.post("{}"), FailsWith(ErrorCode::kUnavailable));
}

TEST_F(PostTest, SilenceEndsWithTheTimeout) {
  server_.answer({HttpServer::kSilence});
  Poster impatient(url(), std::chrono::milliseconds(1));
  EXPECT_THAT(impatient.post("{}"), FailsWith(ErrorCode::kUnavailable));
}

TEST_F(PostTest, CancelEndsACallAndThoseToCome) {
  server_.answer({HttpServer::kSilence});
  Poster patient(url(), std::chrono::hours(1));
  std::thread canceller([&] {
    server_.wait_for(1);
    patient.cancel();
  });
  EXPECT_THAT(patient.post("{}"), FailsWith(ErrorCode::kClosed));
  canceller.join();
  EXPECT_THAT(patient.post("{}"), FailsWith(ErrorCode::kClosed));
}

TEST_F(PostTest, AnAnswerMayBeAsLongAsItLikes) {
  server_.answer({200, 404, 200, 404});
  server_.headers("Content-Length: 10000000000\r\n");
  EXPECT_EQ(must(poster_.post("{}")), 200U);
  EXPECT_EQ(must(poster_.post("{}")), 404U);
  server_.headers("Content-Length: 2\r\nContent-Security-Policy: " + std::string(30'000, 'x') + "\r\n");
  EXPECT_EQ(must(poster_.post("{}")), 200U);
  EXPECT_EQ(must(poster_.post("{}")), 404U);
}

TEST_F(PostTest, FindsAHostByItsName) {
  Url named = url();
  named.host = "localhost";
  EXPECT_EQ(must(Poster(named).post("{}")), 200U);
  named.host = std::string(300, 'x');  // no name may be that long
  EXPECT_THAT(Poster(named).post("{}"), FailsNaming(ErrorCode::kUnavailable, named.host + ": "));
}

TEST_F(PostTest, CancelDoesNotWaitForTheLookupOfTheHost) {
  const auto resolver = std::make_shared<HangingResolver>();
  std::optional<Poster> patient(std::in_place, url(), std::chrono::hours(1), HangingResolver::of(resolver));
  std::thread canceller([&] {
    resolver->called.wait();
    patient->cancel();
  });
  EXPECT_THAT(patient->post("{}"), FailsWith(ErrorCode::kClosed));
  canceller.join();
  EXPECT_THAT(patient->post("{}"), FailsWith(ErrorCode::kClosed));
  patient.reset();
  resolver->let.count_down();
  EXPECT_EQ(server_.count(), 0U);
}

TEST_F(PostTest, ALookupThatHangsEndsWithTheTimeoutAndIsNotStartedTwice) {
  const auto resolver = std::make_shared<HangingResolver>();
  Poster impatient(url(), std::chrono::milliseconds(1), HangingResolver::of(resolver));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(impatient.post("{}"), FailsWith(ErrorCode::kUnavailable));
  resolver->called.wait();
  EXPECT_EQ(resolver->calls, 1);
  resolver->let.count_down();
}

TEST_F(PostTest, ConnectsToWhatTheLookupHasFound) {
  const auto with = [&](const Result<Addresses>& found) {
    return Poster(url(), std::chrono::hours(1), [found](const std::string&) { return found; }).post("{}");
  };
  EXPECT_EQ(must(with(Addresses{"127.0.0.1"})), 200U);
  EXPECT_THAT(with(Addresses{}), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(with(Addresses{"no address"}), FailsWith(ErrorCode::kUnavailable));
  EXPECT_THAT(with(fail(ErrorCode::kUnavailable, "unknown")),
              FailsNaming(ErrorCode::kUnavailable, "unknown"));
}

TEST_F(PostTest, HttpsNeedsACertificate) {
  Url secure = url();
  secure.tls = true;
  Poster poster(secure);
  EXPECT_THAT(poster.post("{}"), FailsWith(ErrorCode::kUnavailable));  // the test's server has none
}

TEST(Verdict, SaysWhatAnAnswerMeans) {
  for (const unsigned status : {200U, 204U, 299U}) EXPECT_EQ(verdict_on(status), Verdict::kTaken) << status;
  for (const unsigned status : {408U, 425U, 429U, 500U, 503U})
    EXPECT_EQ(verdict_on(status), Verdict::kAgain) << status;
  for (const unsigned status : {301U, 400U, 404U, 410U})
    EXPECT_EQ(verdict_on(status), Verdict::kRefused) << status;
  EXPECT_EQ(verdict_on(fail(ErrorCode::kUnavailable, "x")), Verdict::kAgain);
  EXPECT_EQ(verdict_on(fail(ErrorCode::kClosed, "x")), Verdict::kRefused);
}

}  // namespace
}  // namespace holdfast::http
