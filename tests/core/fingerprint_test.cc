// Fingerprints of failures: failures that look alike have the same one, whatever numbers and names they
// contain, and it is stable.
#include "engine/base/helpers/fingerprint.h"

#include <gtest/gtest.h>

#include "engine/base/helpers/lease_reason.h"

namespace holdfast {
namespace {

TEST(Fingerprint, LeavesOutWhatDiffersFromFailureToFailure) {
  EXPECT_EQ(normalised("order 4711 of 17 items"), "order # of # items");
  EXPECT_EQ(normalised("at 0x7ffE12 in 5f3a9c00"), "at # in #");
  EXPECT_EQ(normalised("id 550e8400-e29b-41d4-a716-446655440000, gone"), "id #, gone");
  EXPECT_EQ(normalised("field 'price' of \"a b\" is `x`"), "field ? of ? is ?");
  EXPECT_EQ(normalised("can't find it, won't try"), "can't find it, won't try");
  EXPECT_EQ(normalised("utf8 deaf beef v2.1"), "utf# deaf beef v#.#");
  EXPECT_EQ(normalised("an open ' quote"), "an open ' quote");
  EXPECT_EQ(normalised(""), "");
}

FailureRecord failure(std::string reason, std::string stack_trace = {}) {
  FailureRecord record;
  record.category = "validation";
  record.reason = std::move(reason);
  record.stack_trace = std::move(stack_trace);
  return record;
}

TEST(Fingerprint, GroupsFailuresThatLookAlike) {
  EXPECT_EQ(fingerprint_of(failure("order 1 is late")), fingerprint_of(failure("order 22 is late")));
  EXPECT_NE(fingerprint_of(failure("order 1 is late")), fingerprint_of(failure("order 1 is early")));
  FailureRecord other = failure("order 1 is late");
  other.category = "timeout";
  EXPECT_NE(fingerprint_of(failure("order 1 is late")), fingerprint_of(other));
}

TEST(Fingerprint, LeasesThatRanOutAreOneKind) {
  const std::string one = lease_reason({.instance = "worker-1"}, 30'000, 0);
  EXPECT_EQ(one, "the lease ran out: 'worker-1' had it for 30.0 s; extensions of the lease: 0");
  for (const std::string& other :
       {lease_reason({}, 1, 255), lease_reason({.instance = "o'brien", .version = "v2"}, 61'250, 3)}) {
    EXPECT_EQ(normalised(other), normalised(one));
    EXPECT_EQ(fingerprint_of(failure(other)), fingerprint_of(failure(one)));
  }
  EXPECT_NE(normalised("the lease ran out: of the flat"), normalised(one));
}

TEST(Fingerprint, LooksAtTheInnermostFrames) {
  const auto at = [](const char* frames) { return fingerprint_of(failure("x", frames)); };
  EXPECT_EQ(at("main:1\na\nb\nc:7"), at("other\nstart\na\nb\nc:9"));
  EXPECT_NE(at("main\na\nb\nc"), at("main\na\nb\nd"));
}

TEST(Fingerprint, LooksAtTheInnermostFramesOfRubyAndFirefox) {
  const auto ruby = [](std::string name) {
    return fingerprint_of(failure("x", "a.rb:9:in '" + name +
                                           "': bad\n\tfrom a.rb:1:in 'a'\n\tfrom a.rb:1:in 'b'"
                                           "\n\tfrom a.rb:1:in 'c'\n\tfrom a.rb:1:in 'd'"));
  };
  EXPECT_NE(ruby("check"), ruby("price"));
  EXPECT_EQ(normalised("a.rb:9:in `check!'\n\tfrom b.rb:7:in `Shop#pay'"),
            "a.rb:#:in check!\n\tfrom b.rb:#:in Shop#pay");
  const auto firefox = [](std::string name) {
    return fingerprint_of(failure("x", name + "@http://s/a.js:9:5\na@http://s/a.js:1:1\nb@http://s/a.js:1:1\n"
                                              "c@http://s/a.js:1:1\nd@http://s/a.js:1:1"));
  };
  EXPECT_NE(firefox("check"), firefox("price"));
}

TEST(Fingerprint, IsStable) {
  EXPECT_EQ(to_string(fingerprint_of(failure("order 1 is late", "main\ncheck"))), "76b01eaef6697622");
  EXPECT_EQ(parse_fingerprint("00000000000000ff"), Fingerprint{255});
  EXPECT_EQ(to_string(Fingerprint{255}), "00000000000000ff");
  for (const char* text : {"", "ff", "00000000000000fg", "000000000000000ff"}) {
    EXPECT_FALSE(parse_fingerprint(text).has_value());
  }
}

}  // namespace
}  // namespace holdfast
