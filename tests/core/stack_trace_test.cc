// Tests which end of a stack trace is kept.
#include "engine/base/helpers/stack_traces/stack_trace.h"

#include <gmock/gmock.h>

#include "holdfast/limits.h"

namespace holdfast {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr std::string_view kPython =
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in main\n  File \"a.py\", line 9, in "
    "check\n"
    "ValueError: at 7";
constexpr std::string_view kJava =
    "java.lang.IllegalStateException: bad\n\tat shop.Order.check(Order.java:9)\n\tat "
    "shop.Main.main(Main.java:1)";
constexpr std::string_view kBoost = " 0# check at a.cc:9\n 1# main at a.cc:1";
constexpr std::string_view kGdb = "#0  check () at a.cc:9\n#1  main () at a.cc:1";
constexpr std::string_view kRust = "   0: shop::check\n             at ./a.rs:9\n   1: shop::main";
constexpr std::string_view kGo = "goroutine 1 [running]:\nmain.check(0x1)\n\t/a.go:9 +0x1d\nmain.main()";
constexpr std::string_view kRuby = "a.rb:9:in 'check': bad (RuntimeError)\n\tfrom a.rb:1:in 'main'";
constexpr std::string_view kOldRuby = "a.rb:9:in `check'\na.rb:1:in `main'";
constexpr std::string_view kFirefox = "check@http://shop/a.js:9:5\n@http://shop/a.js:1:1";
constexpr std::string_view kNoFrames = "mail to a@shop.example:25 failed\n:in 'main'";
constexpr std::string_view kCountingDown = "#1 main\n#0 check";
constexpr std::string_view kUnknown = "main\nhandle\ncheck";

// Returns `lines` lines, each with `before` and its number.
std::string trace(std::size_t lines, std::string_view before) {
  std::string text;
  for (std::size_t i = 0; i < lines; ++i)
    text += (i == 0 ? "" : "\n") + std::string(before) + std::to_string(i);
  return text;
}

TEST(StackTrace, FormatsThatBeginWithTheInnermostFrameAreKnown) {
  for (const auto text : {kJava, kBoost, kGdb, kRust, kGo, kRuby, kOldRuby, kFirefox})
    EXPECT_TRUE(is_innermost_first(text)) << text;
  for (const auto text : {kPython, kCountingDown, kUnknown, kNoFrames, std::string_view()})
    EXPECT_FALSE(is_innermost_first(text)) << text;
}

TEST(StackTrace, WhatFitsIsKeptAsItIs) {
  for (const auto text : {kJava, kBoost, kGdb, kRust, kGo, kPython, kCountingDown, kUnknown})
    EXPECT_EQ(bounded_stack_trace(text, 1000), text);
  EXPECT_EQ(bounded_stack_trace("a\nb\n\n", 1000), "a\nb");
  const std::string most = trace(limits::kStackTraceFrames, "frame ");
  EXPECT_EQ(bounded_stack_trace(most, most.size()), most);
}

TEST(StackTrace, LosesItsOuterFramesWithAMark) {
  const std::string last = bounded_stack_trace(trace(30, "frame "), 1000);
  EXPECT_THAT(last, StartsWith("... [cut, it had 259 bytes]\nframe 10\n"));
  EXPECT_THAT(last, EndsWith("\nframe 29"));
  const std::string first = bounded_stack_trace(trace(30, "\tat f"), 1000);
  EXPECT_THAT(first, StartsWith("\tat f0\n"));
  EXPECT_THAT(first, EndsWith("\tat f19\n... [cut, it had 229 bytes]"));
}

TEST(StackTrace, OfRubyAndFirefoxLosesItsOuterFrames) {
  const std::string ruby =
      bounded_stack_trace("a.rb:9:in 'check': bad\n" + trace(30, "\tfrom a.rb:1:in 'f"), 999);
  EXPECT_THAT(ruby, StartsWith("a.rb:9:in 'check': bad\n\tfrom a.rb:1:in 'f0\n"));
  std::string frames = "check@http://shop/a.js:9:5";
  for (int i = 0; i < 30; ++i) frames += "\nf@http://shop/a.js:1:" + std::to_string(i);
  EXPECT_THAT(bounded_stack_trace(frames, 999), StartsWith("check@http://shop/a.js:9:5\nf@"));
}

std::string nested(std::string_view heading, std::size_t frames) {
  return std::string(heading) + '\n' + trace(frames, "\tat f");
}

TEST(StackTrace, EachNestedErrorKeepsItsBeginning) {
  const std::string whole = nested("shop.Bad: top", 30) + '\n' + nested("Caused by: shop.Mid: middle", 30) +
                            '\n' + nested("\tSuppressed: shop.Late: late", 30) + '\n' +
                            nested("Caused by: shop.Root: root", 30);
  const std::string cut = bounded_stack_trace(whole, 2000);
  EXPECT_EQ(cut, nested("shop.Bad: top", 7) + "\n\t... [cut, lines: 23]\n" +
                     nested("Caused by: shop.Mid: middle", 1) + "\n\t... [cut, lines: 29]\n" +
                     nested("\tSuppressed: shop.Late: late", 1) + "\n\t... [cut, lines: 29]\n" +
                     nested("Caused by: shop.Root: root", 7) + "\n\t... [cut, lines: 23]\n... [cut, it had " +
                     std::to_string(whole.size()) + " bytes]");
  EXPECT_EQ(bounded_stack_trace(cut, 2000), cut);
}

TEST(StackTrace, ARootCauseIsKeptHoweverMuchStandsBeforeIt) {
  std::string whole = nested("shop.Bad: " + std::string(5000, 'x'), 30);
  for (int i = 0; i < 100; ++i) whole += '\n' + nested("Caused by: shop.Mid: " + std::to_string(i), 30);
  whole += '\n' + nested("Caused by: shop.Root: root", 3);
  for (const std::size_t limit : {16'384U, 4096U, 1024U}) {
    const std::string cut = bounded_stack_trace(whole, limit);
    EXPECT_LE(cut.size(), limit);
    EXPECT_THAT(cut, StartsWith("shop.Bad: x"));
    EXPECT_THAT(cut, ::testing::HasSubstr("\nCaused by: shop.Root: root\n\tat f0"));
    EXPECT_EQ(bounded_stack_trace(cut, limit), cut);
  }
  const std::string fits = nested("shop.Bad: top", 3) + '\n' + nested("Caused by: shop.Root: root", 3);
  EXPECT_EQ(bounded_stack_trace(fits, 1000), fits);
}

TEST(StackTrace, HasNoMoreBytesThanTheLimit) {
  const std::string last = bounded_stack_trace(std::string(200, 'x') + "\nend", 64);
  EXPECT_EQ(last.size(), 64U);
  EXPECT_THAT(last, StartsWith("... [cut, it had 204 bytes]\nx"));
  EXPECT_THAT(last, EndsWith("\nend"));
  const std::string first = bounded_stack_trace("\tat begin\n" + std::string(200, 'x'), 64);
  EXPECT_EQ(first.size(), 64U);
  EXPECT_THAT(first, StartsWith("\tat begin\nx"));
  EXPECT_THAT(first, EndsWith("\n... [cut, it had 210 bytes]"));
  // The cut divides no character of UTF-8.
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xa4";
  EXPECT_EQ(bounded_stack_trace(umlauts, 64).size() % 2, 0U);
  EXPECT_THAT(bounded_stack_trace(umlauts, 65), StartsWith("... [cut, it had 200 bytes]\n\xc3\xa4"));
}

TEST(StackTrace, CutAgainItSaysWhatItHadAtFirst) {
  for (const char* frame : {"frame ", "\tat f"}) {
    const std::string whole = trace(500, frame);
    const std::string once = bounded_stack_trace(whole, 1000);
    EXPECT_EQ(bounded_stack_trace(once, 1000), once);
    const std::string mark = "... [cut, it had " + std::to_string(whole.size()) + " bytes]";
    EXPECT_THAT(bounded_stack_trace(once, 100), ::testing::HasSubstr(mark));
  }
}

TEST(StackTrace, ItsInnermostFramesAreWhereItHappened) {
  EXPECT_EQ(innermost_frames(kUnknown, 2), "handle\ncheck");
  EXPECT_EQ(innermost_frames(kUnknown, 9), kUnknown);
  EXPECT_EQ(innermost_frames(kJava, 1), "\tat shop.Order.check(Order.java:9)");
  EXPECT_EQ(innermost_frames(kGdb, 1), "#0  check () at a.cc:9");
  EXPECT_EQ(innermost_frames(bounded_stack_trace(trace(30, "frame "), 1000), 30).substr(0, 8), "frame 10");
  EXPECT_EQ(innermost_frames("", 3), "");
}

}  // namespace
}  // namespace holdfast
