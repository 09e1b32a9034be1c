// Tests what the keys of `dlq watch` do, without a terminal and without a broker.
#include <gmock/gmock.h>

#include "tools/cli/views/watch_view.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;
using Kind = Key::Kind;
using AfterPress = WatchView::Outcome;

// Makes the newest `wanted` of `all` letters.
WatchSeen newest(std::size_t all, std::size_t wanted) {
  WatchSeen seen;
  for (std::size_t i = all; i > 0 && seen.letters.size() < wanted; --i) {
    DeadLetter letter;
    letter.seq = Seq{i};
    seen.letters.push_back(letter);
  }
  seen.more = seen.letters.size() < all;
  return seen;
}

std::string page(WatchView& view, const WatchSeen& seen) {
  std::string text;
  for (const std::string& line : view.lines(seen, {.columns = 80, .rows = 24}, Timestamp{}, ""))
    text += line + '\n';
  return text;
}

class WatchKeys : public ::testing::Test {
 protected:
  // Looks for as long as the view wants to look again at once. Returns how many looks there were.
  std::size_t look_on() {
    std::size_t looks = 1;
    seen_ = newest(kAll, view_.request().wanted);
    while (view_.take(seen_)) {
      seen_ = newest(kAll, view_.request().wanted);
      ++looks;
    }
    return looks;
  }

  static constexpr std::size_t kAll = 20'000;
  WatchView view_{{}, "bob"};
  WatchSeen seen_ = newest(kAll, WatchRequest{}.wanted);
};

TEST_F(WatchKeys, EndReadsOnInStepsThatGrow) {
  EXPECT_EQ(view_.press({Kind::kEnd}, seen_), AfterPress::kLook);
  EXPECT_THAT(page(view_, seen_), HasSubstr("reading... 200 dead letters so far; esc stops"));
  const std::size_t before = view_.request().wanted;
  seen_ = newest(kAll, before);
  EXPECT_TRUE(view_.take(seen_));
  EXPECT_LE(view_.request().wanted, before + 5000);
  EXPECT_LE(look_on(), 20U);
  EXPECT_EQ(seen_.letters.size(), kAll);
  EXPECT_THAT(page(view_, seen_), AllOf(HasSubstr(">   1 "), HasSubstr("q quit")));
}

TEST_F(WatchKeys, AnyKeyStopsTheWayToTheEnd) {
  ASSERT_EQ(view_.press({Kind::kText, "G"}, seen_), AfterPress::kLook);
  EXPECT_EQ(view_.press({Kind::kEscape}, seen_), AfterPress::kDraw);  // this removes no filter
  EXPECT_EQ(look_on(), 1U);
  ASSERT_EQ(view_.press({Kind::kText, "G"}, seen_), AfterPress::kLook);
  view_.press({Kind::kUp}, seen_);
  EXPECT_EQ(look_on(), 1U);
  ASSERT_EQ(view_.press({Kind::kText, "G"}, seen_), AfterPress::kLook);
  EXPECT_EQ(view_.press({Kind::kText, "q"}, seen_), AfterPress::kQuit);
}

TEST_F(WatchKeys, HomeReadsNoMoreThanAtFirst) {
  view_.press({Kind::kEnd}, seen_);
  look_on();
  view_.press({Kind::kHome}, seen_);
  EXPECT_EQ(view_.request().wanted, WatchRequest{}.wanted);
  look_on();
  EXPECT_THAT(page(view_, seen_), HasSubstr("> 20000 "));
}

TEST_F(WatchKeys, WhatIsTypedGoesInThePlaceOfWhoIsProposed) {
  for (const char* key : {"a", "e", "v", "e"}) view_.press({Kind::kText, key}, seen_);
  EXPECT_THAT(page(view_, seen_), HasSubstr("(empty: nobody): eve_"));
  EXPECT_EQ(view_.press({Kind::kEnter}, seen_), AfterPress::kChange);
  EXPECT_EQ(view_.change().assignee, "eve");
  view_.press({Kind::kText, "a"}, seen_);
  EXPECT_EQ(view_.press({Kind::kEnter}, seen_), AfterPress::kChange);
  EXPECT_EQ(view_.change().assignee, "bob");
}

// The largest group comes first, so a group that grows changes places with another one.
TEST_F(WatchKeys, AChosenGroupStaysChosen) {
  const std::string x(16, 'a');
  const std::string y(16, 'b');
  const auto look = [&](const std::vector<std::pair<std::string, std::uint64_t>>& groups) {
    seen_.groups.groups.clear();
    for (const auto& [value, count] : groups)
      seen_.groups.groups.push_back({.value = value, .count = count, .sample = {}});
    view_.take(seen_);
  };
  look({{x, 5}, {y, 3}});
  for (const char* key : {"g", "j"}) view_.press({Kind::kText, key}, seen_);
  look({{y, 9}, {x, 5}});
  view_.press({Kind::kText, "r"}, seen_);
  EXPECT_THAT(page(view_, seen_), HasSubstr("redrive all 9 that look alike (" + y + ")?"));
  look({{x, 10}, {y, 9}});
  EXPECT_EQ(view_.press({Kind::kText, "y"}, seen_), AfterPress::kChange);
  EXPECT_EQ(view_.change().which.fingerprint, parse_fingerprint(y));
  view_.press({Kind::kEnter}, seen_);
  EXPECT_EQ(view_.request().filter.fingerprint, parse_fingerprint(y));
}

TEST_F(WatchKeys, AnUnknownNameOfAFilterIsNamed) {
  const auto unknown = narrowed({}, "sku=4711");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().message, HasSubstr("unknown filter 'sku'; there are category, code, source"));
  EXPECT_EQ(narrowed({}, "=4 no answer")->reason, "=4 no answer");
}

TEST(WatchHeads, ItsHeadSaysWhatTheFilterLetsThrough) {
  WatchSeen seen;
  seen.info.name = "dlq";
  seen.info.counts.dead = 7;
  seen.groups.groups.resize(1);
  seen.groups.groups[0].count = 2;
  const Screen screen{.columns = 80, .rows = 24};
  EXPECT_THAT(watch_heads(seen, screen).front(), HasSubstr("dlq  7 dead letters in 1 group,"));
  seen.filtered = true;
  EXPECT_THAT(watch_heads(seen, screen).front(), HasSubstr("dlq  2 of 7 dead letters in 1 group,"));
  // Groups are filtered as the letters are.
  WatchView view({.category = "none"}, "");
  view.press({Kind::kText, "g"}, {});
  EXPECT_THAT(page(view, {}), HasSubstr("no such dead letters"));
}

}  // namespace
}  // namespace holdfast::command
