// Addresses of servers as text: each comes back from its text, and what is no address is refused by name.
#include "schema/transport/address.h"

#include "tests/support/result_matchers.h"

namespace holdfast::transport {
namespace {

using holdfast::testing::FailsNaming;
using holdfast::testing::must;

TEST(Address, ReadsWhatItWrites) {
  for (std::string text : {"127.0.0.1:7700", "localhost:0", "[::1]:7701", "unix:/run/holdfast.sock",
                           "a.b:65535", "tls://a.b:7700", "tls://[::1]:1"}) {
    EXPECT_EQ(to_string(must(parse_address(text))), text);
  }
}

TEST(Address, HasADefaultPort) {
  EXPECT_EQ(to_string(must(parse_address("example.org"))), "example.org:7700");
  EXPECT_EQ(to_string(must(parse_address("[::1]"))), "[::1]:7700");
  EXPECT_EQ(to_string(must(parse_address("tls://example.org"))), "tls://example.org:7700");
}

TEST(Address, RefusesWhatItCannotRead) {
  for (std::string text :
       {"",      ":7700",     "host:",       "host:x", "host:65536", "host:-1",  "host:77 ",     "::1",
        "[::1",  "[::1]7700", "unix:",       "[]:1",   "tls://",     "tls://:1", "tls://host:x", "[[::1]:1",
        "a b:1", "a]:1",      "host/path:1", "a\n:1"}) {
    EXPECT_THAT(parse_address(text), FailsNaming(ErrorCode::kInvalidArgument, "'" + text + "'"));
  }
  EXPECT_THAT(parse_address("http://host:1"),
              FailsNaming(ErrorCode::kInvalidArgument, "no address begins with 'http://'"));
  EXPECT_THAT(parse_address("unix:/" + std::string(200, 'x')),
              FailsNaming(ErrorCode::kInvalidArgument, "107 bytes"));
  EXPECT_THAT(parse_address(std::string_view("unix:/a\0b", 9)),
              FailsNaming(ErrorCode::kInvalidArgument, "a byte that is 0"));
}

}  // namespace
}  // namespace holdfast::transport
