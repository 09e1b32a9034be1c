// Tests how the dashboard's files are served.
#include "server/page/files.h"
#include "tests/http_api/api_fixture.h"

namespace holdfast::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PageTest : public ApiFixture {
 protected:
  void SetUp() override {
    serve();
    if (page_files().empty()) GTEST_SKIP() << "built without the dashboard";
  }
};

TEST_F(PageTest, EachOfItsAddressesIsTheOneDocument) {
  auto http = client();
  const Answer document = http.get("/");
  EXPECT_EQ(document.header("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(document.body, StartsWith("<!doctype html>"));
  for (const char* path :
       {"/queues/orders", "/dead-letters/orders-dlq/17", "/redrives?x=y", "/analytics", "/find?q=x"})
    EXPECT_EQ(http.get(path).body, document.body) << path;
  EXPECT_EQ(http.get("/elsewhere").status, 404U);
  EXPECT_EQ(http.call(http::verb::post, "/", "x").status, 404U);
  EXPECT_EQ(http.get("/assets/none.js").status, 404U);
  EXPECT_EQ(http.call(http::verb::head, "/").header("content-length"), std::to_string(document.body.size()));
}

TEST_F(PageTest, ItRunsNothingButItsOwnFiles) {
  const Answer document = client().get("/");
  const std::string policy = document.header("content-security-policy");
  EXPECT_THAT(policy, StartsWith("default-src 'none';"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(document.header("x-content-type-options"), "nosniff");
  EXPECT_EQ(document.header("cross-origin-opener-policy"), "same-origin");
  EXPECT_THAT(document.body, Not(HasSubstr("<script>")));
  EXPECT_THAT(document.body, Not(HasSubstr("style=")));
}

TEST_F(PageTest, FilesWithAHashInTheirNameAreKeptAndTheDocumentIsAskedForAgain) {
  auto http = client();
  for (const PageFile& file : page_files()) {
    const std::string path(file.path);
    const Answer plain = http.get(path);
    EXPECT_EQ(plain.body, file.bytes) << path;
    EXPECT_EQ(plain.header("content-encoding"), "") << path;
    const Answer packed = http.get(path, {{"Accept-Encoding", "gzip, br"}});
    EXPECT_EQ(packed.header("content-encoding"), "gzip") << path;
    EXPECT_EQ(packed.body, file.gzip) << path;
    EXPECT_EQ(plain.header("cache-control"),
              path == "/" ? "no-cache" : "public, max-age=31536000, immutable");
    EXPECT_EQ(http.get(path, {{"If-None-Match", plain.header("etag")}}).status, 304U) << path;
  }
}

TEST_F(PageTest, AFirstVisitLoadsAtMost150KiB) {
  std::size_t bytes = 0;
  for (const PageFile& file : page_files()) bytes += file.gzip.size();
  EXPECT_LE(bytes, 150U << 10);
}

}  // namespace
}  // namespace holdfast::server
