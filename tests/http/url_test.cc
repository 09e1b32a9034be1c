// URLs are taken apart as HTTP needs them, and what is no such URL is refused.
#include "schema/http/url.h"

#include <gmock/gmock.h>

#include "tests/support/result_matchers.h"

namespace holdfast::http {
namespace {

using holdfast::testing::FailsWith;
using holdfast::testing::must;

TEST(Url, HasSchemeHostPortAndTarget) {
  EXPECT_EQ(must(parse_url("http://tickets.example")), (Url{.host = "tickets.example"}));
  EXPECT_EQ(must(parse_url("https://h/a/b?c=d")),
            (Url{.tls = true, .host = "h", .port = 443, .target = "/a/b?c=d"}));
  EXPECT_EQ(must(parse_url("http://h:8080?x")), (Url{.host = "h", .port = 8080, .target = "/?x"}));
  EXPECT_EQ(must(parse_url("http://[::1]:81/")), (Url{.host = "::1", .port = 81}));
  EXPECT_EQ(must(parse_url("http://h:65535")).port, 65535);
}

TEST(Url, AuthorityIsAsTheHostHeaderHasIt) {
  EXPECT_EQ(must(parse_url("http://h:80/x")).authority(), "h");
  EXPECT_EQ(must(parse_url("https://h:443/x")).authority(), "h");
  EXPECT_EQ(must(parse_url("https://h:80/x")).authority(), "h:80");
  EXPECT_EQ(must(parse_url("http://[::1]:81/")).authority(), "[::1]:81");
}

TEST(Url, OthersAreRefused) {
  for (const char* text : {"", "h", "ftp://h", "http://", "http:///x", "http://:80",
                           "http://h:", "http://h:0", "http://h:65536", "http://h:8x", "http://[::1",
                           "http://[::1]x", "http://u@h", "http://h/#f", "http://h /", "http://h\n"})
    EXPECT_THAT(parse_url(text), FailsWith(ErrorCode::kInvalidArgument)) << text;
}

}  // namespace
}  // namespace holdfast::http
