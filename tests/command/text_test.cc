// These tests check how the command reads and prints durations, times, option names, JSON, keys, tables, and
// text that may be unprintable or too long.
#include "tools/cli/texts/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "holdfast/time.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/option_words.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/views/dead_letter_text.h"
#include "tools/cli/views/pressed_keys.h"

namespace holdfast::command {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

Duration parsed(const std::string& text) { return parse_duration(text).value_or(Duration{-1}); }

TEST(OptionWords, AreTheCommandsWhereItHasThem) {
  const std::set<std::string> options = {"max-deliveries", "lease", "dead-letter-queue"};
  EXPECT_EQ(with_option_words("max_deliveries: 0, not at least 1", options),
            "--max-deliveries: 0, not at least 1");
  EXPECT_EQ(with_option_words("(max_deliveries,dead_letter_queue)", options),
            "(--max-deliveries,--dead-letter-queue)");
  EXPECT_EQ(with_option_words("lease: 0s", options), "lease: 0s");
  EXPECT_EQ(with_option_words("max_replays, my_max_deliveries, max_deliveries_", options),
            "max_replays, my_max_deliveries, max_deliveries_");
  EXPECT_EQ(with_option_words("no queue named 'max_deliveries', nor max_deliveries", options),
            "no queue named 'max_deliveries', nor --max-deliveries");
  EXPECT_EQ(with_option_words("it can't be: max_deliveries", options), "it can't be: --max-deliveries");
  EXPECT_EQ(with_option_words("", options), "");
}

TEST(OptionWords, ThoseThatTheCommandNamesOtherwiseAreItsToo) {
  const std::set<std::string> options = {"lease", "ttl", "rate", "alert"};
  EXPECT_EQ(with_option_words("time_to_live is 1h", options), "--ttl is 1h");
  EXPECT_EQ(with_option_words("alerts.depth_high.above is 3.", options), "--alert depth-high is 3.");
  EXPECT_EQ(with_option_words("lease is 0s", options), "--lease is 0s");
  EXPECT_EQ(with_option_words("the lease is over", options), "the lease is over");
  EXPECT_EQ(with_option_words("rate of 3", options), "rate of 3");
}

TEST(Durations, ParseUnitsAndSums) {
  EXPECT_EQ(parsed("500ms"), 500ms);
  EXPECT_EQ(parsed("30s"), 30s);
  EXPECT_EQ(parsed("5m"), 5min);
  EXPECT_EQ(parsed("2h"), 2h);
  EXPECT_EQ(parsed("1d"), 24h);
  EXPECT_EQ(parsed("1h30m"), 90min);
  EXPECT_EQ(parsed("0"), 0s);
}

TEST(Durations, RefuseWhatIsNone) {
  for (const char* text :
       {"", "5", "s", "-5s", "5 s", "5y", "1.5h", "5s!", "99999999999999999999s", "9223372036854775807d"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Durations, FormatExactlyAndParseBack) {
  for (const Duration duration : {Duration{0}, Duration{1}, Duration{1500us}, Duration{90s}, Duration{25h}}) {
    EXPECT_EQ(parsed(format_duration(duration)), duration);
  }
  EXPECT_EQ(format_duration(90s), "1m30s");
}

TEST(Durations, FormatWhatWasMeasuredAsPeopleWriteIt) {
  EXPECT_EQ(format_rounded(0s), "0 us");
  EXPECT_EQ(format_rounded(999us), "999 us");
  EXPECT_EQ(format_rounded(15ms + 499us), "15 ms");
  EXPECT_EQ(format_rounded(999ms + 500us), "1.0 s");
  EXPECT_EQ(format_rounded(8s + 999ms + 928us), "9.0 s");
  EXPECT_EQ(format_rounded(-(4s + 999ms + 997us)), "-5.0 s");
  EXPECT_EQ(format_rounded(59s + 949ms), "59.9 s");
  EXPECT_EQ(format_rounded(59s + 950ms), "1 min");
  EXPECT_EQ(format_rounded(89s + 999ms), "1 min 30 s");
  EXPECT_EQ(format_rounded(1h - 1us), "1 h");
  EXPECT_EQ(format_rounded(2h + 5min), "2 h 5 min");
  EXPECT_EQ(format_rounded(24h - 1us), "1 d");
  EXPECT_EQ(format_rounded(76h), "3 d 4 h");
}

TEST(Durations, FormatAgesInOneUnit) {
  EXPECT_EQ(format_age(-1s), "0s");
  EXPECT_EQ(format_age(999ms), "0s");
  EXPECT_EQ(format_age(59s), "59s");
  EXPECT_EQ(format_age(200s), "3m");
  EXPECT_EQ(format_age(49h), "2d");
}

TEST(Durations, FormatTimesInUtc) {
  EXPECT_EQ(format_time(Timestamp{}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(format_time(Timestamp{86'400s + 1'500us}), "1970-01-02T00:00:00.001500Z");
  EXPECT_EQ(format_time(Timestamp{-1us}), "1969-12-31T23:59:59.999999Z");
  // A filter without a begin or an end is shown with these. The sanitizer of undefined behaviour reads along.
  EXPECT_EQ(format_time(Timestamp::min()), "-290308-12-21T19:59:05.224192Z");
  EXPECT_EQ(format_time(Timestamp::max()), "294247-01-10T04:00:54.775807Z");
}

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("42 widgets, größe ✓"), "42 widgets, größe ✓");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("\0\x7f"s), "\\x00\\x7f");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u{9b}31m");  // a C1 control sequence introducer
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc"),
            "\\u{202e}abc");  // turns the reading direction
}

TEST(Durations, TimesForPeopleAreReadToo) {
  const Timestamp time{86'400s + 3'723s + 1'500us};
  EXPECT_EQ(format_clock_time(time), "1970-01-02 01:02:03 UTC");
  const auto read = parse_time(format_clock_time(time));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, Timestamp{86'400s + 3'723s});
  EXPECT_FALSE(parse_time("1970-01-02 01:02:03"));
  EXPECT_FALSE(parse_time(" UTC"));
}

TEST(Times, AreThoseOfRfc3339) {
  const auto micros = [](const char* text) {
    const auto time = holdfast::parse_time(text);
    return time ? time->time_since_epoch().count() : -1;
  };
  EXPECT_EQ(micros("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(micros("1970-01-01T00:00:01.5z"), 1'500'000);
  EXPECT_EQ(micros("1970-01-01t00:00:00.123456789Z"), 123'456);
  EXPECT_EQ(micros("1970-01-01T02:30:00+02:00"), 1'800'000'000);
  EXPECT_EQ(micros("1970-01-01T00:00:00-01:30"), 5'400'000'000);
  EXPECT_EQ(micros("1972-06-30T23:59:60Z"), micros("1972-07-01T00:00:00Z"));
  EXPECT_EQ(micros("2024-02-29T00:00:00Z"), 1'709'164'800'000'000);
  EXPECT_EQ(micros("9999-12-31T23:59:59.999999Z"), 253'402'300'799'999'999);
  for (const char* wrong : {"2027-02-30T00:00:00Z",
                            "2027-02-29T00:00:00Z",
                            "2027-04-31T00:00:00Z",
                            "2027-00-01T00:00:00Z",
                            "2027-01-00T00:00:00Z",
                            "2027-13-01T00:00:00Z",
                            "2027-01-01T24:00:00Z",
                            "2027-01-01T00:60:00Z",
                            "2027-01-01T00:00:61Z",
                            "2027-01-01T00:00:00",
                            "2027-01-01T00:00:00.Z",
                            "2027-01-01T00:00:00+2:00",
                            "2027-01-01T00:00:00+0200",
                            "2027-01-01T00:00:00+24:00",
                            "2027-01-01T00:00:00ZZ",
                            "2027-1-1T0:0:0Z",
                            "2027-01-01 00:00:00Z",
                            " 2027-01-01T00:00:00Z",
                            "2027-01-01T00:00:00Z ",
                            "2027-01-01",
                            "",
                            "+027-01-01T00:00:00Z",
                            "2027-01-01T00:00:-1Z"})
    EXPECT_EQ(micros(wrong), -1) << wrong;
}

TEST(Printable, TakesTheColumnsOfATerminal) {
  EXPECT_EQ(display_width("größe"), 5U);
  EXPECT_EQ(display_width("注文"), 4U);
  EXPECT_EQ(display_width("e\u0301"), 1U);  // with a combining accent
  EXPECT_EQ(display_width("\t"), 2U);       // a tab is shown as \t
  EXPECT_EQ(printable("注文が失敗", 10), "注文が失敗");
  EXPECT_EQ(printable("注文が失敗", 9), "注文が失…");
  EXPECT_EQ(printable("注文が失敗", 8), "注文が…");
  EXPECT_EQ(printable("ab", 0), "");
  EXPECT_EQ(wrapped("注文a失敗", 4), (std::vector<std::string>{"注文", "a失", "敗"}));
  EXPECT_EQ(wrapped("", 4), std::vector<std::string>{""});
}

TEST(Printable, CutsByCharactersNotBytes) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcde…");
  EXPECT_EQ(printable("ööööööö", 6), "ööööö…");
  EXPECT_EQ(printable("abcd\x1b", 6), "abcd…");
}

TEST(Utf8, IsRecognized) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("größe"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xc3"));
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));  // a surrogate
}

TEST(Base64, PadsAsTheStandardSays) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

TEST(Nearest, FindsTyposAndBeginnings) {
  const std::vector<std::string> verbs{"send", "receive", "redrive", "queue"};
  EXPECT_EQ(nearest("sned", verbs), "send");
  EXPECT_EQ(nearest("recieve", verbs), "receive");
  EXPECT_EQ(nearest("rec", verbs), "receive");
  EXPECT_EQ(nearest("xyzzy", verbs), "");
  const std::vector<std::string> queues{"orders", "orders-dlq", "border", "payments"};
  EXPECT_EQ(nearest("order", queues, 3), (std::vector<std::string>{"orders", "orders-dlq", "border"}));
  EXPECT_EQ(nearest("order", queues, 1), std::vector<std::string>{"orders"});
}

TEST(Nearest, FindsOtherCasesAndOtherOrdersOfParts) {
  const std::vector<std::string> queues{"bills", "orders-dlq", "eu.orders"};
  EXPECT_EQ(nearest("BILLS", queues), "bills");
  EXPECT_EQ(nearest("dlq-orders", queues), "orders-dlq");
  EXPECT_EQ(nearest("Dlq_Orders", queues), "orders-dlq");
  EXPECT_EQ(nearest("orders", queues, 3), (std::vector<std::string>{"orders-dlq", "eu.orders"}));
  EXPECT_EQ(nearest("dlq-bills", queues), "");
}

using Lines = std::vector<std::string>;

Table sample_table() {
  Table table({{"NAME"}, {"COUNT", true}, {"CODE", false, 1}, {"NOTE"}});
  table.add({"größe", "7", "", "short"});
  table.add({"注文", "1234567", "E1", "much\ttoo long for this"});
  return table;
}

TEST(Table, APipeGetsWholeCells) {
  EXPECT_EQ(sample_table().lines({}).lines,
            (Lines{"NAME     COUNT  CODE  NOTE", "größe        7        short",
                   "注文   1234567  E1    much\\ttoo long for this"}));
}

TEST(Table, CutsTextForATerminalAsMuchAsNeedBe) {
  Table table({{"NAME"}, {"COUNT", true}, {"NOTE"}});
  table.add({"größe", "7", "short"});
  table.add({"注文", "1234567", "much too long for this"});
  EXPECT_EQ(table.lines({.columns = 38}).lines.at(2), "注文   1234567  much too long for this");
  EXPECT_EQ(table.lines({.columns = 30}).lines, (Lines{"NAME     COUNT  NOTE",   //
                                                       "größe        7  short",  //
                                                       "注文   1234567  much too long…"}));
  EXPECT_EQ(table.lines({.columns = 17}).lines.at(2), "注…  1234567  mu…");  // numbers are never cut
  const TableLines narrowest = table.lines({.columns = 5});
  EXPECT_EQ(narrowest.lines.at(2), "注…");
  EXPECT_EQ(narrowest.left_out, (Lines{"COUNT", "NOTE"}));
}

TEST(Table, LeavesOutColumnsForWhichThereIsNoRoom) {
  EXPECT_TRUE(sample_table().lines({.columns = 45}).left_out.empty());
  const TableLines narrower = sample_table().lines({.columns = 40});
  EXPECT_EQ(narrower.left_out, Lines{"CODE"});  // the note is not cut in place of that
  EXPECT_EQ(narrower.lines.at(2), "注文   1234567  much\\ttoo long for this");
  EXPECT_EQ(sample_table().lines({.columns = 25}).lines,
            (Lines{"NAME     COUNT  NOTE", "größe        7  short", "注文   1234567  much\\tto…"}));
}

TEST(Table, HasColoursIfTheyAreWanted) {
  Table table({{"A"}, {"B"}});
  table.add({"x", Cell("bad", Style::kBad)});
  EXPECT_EQ(table.lines({.color = true}).lines,
            (Lines{"\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m", "x  \x1b[31mbad\x1b[0m"}));
}

TEST(Wrapped, IsBrokenAtBlanksWhereThereAreSome) {
  EXPECT_EQ(wrapped_at_blanks("a bc def", 4), (Lines{"a bc", "def"}));
  EXPECT_EQ(wrapped_at_blanks("a abcdefg h", 4), (Lines{"a", "abcd", "efg", "h"}));
  EXPECT_EQ(wrapped_at_blanks("注文 注文", 9), Lines{"注文 注文"});
  EXPECT_EQ(wrapped_at_blanks("注文 注文", 8), (Lines{"注文", "注文"}));
  EXPECT_EQ(wrapped_at_blanks("", 4), Lines{""});
  EXPECT_EQ(wrapped_at_blanks("\x1b[2J x", 7), (Lines{"\\x1b[2J", "x"}));
}

TEST(Printable, IsCutAtItsBeginningWhereItsEndCounts) {
  EXPECT_EQ(printable_end("abcdef", 6), "abcdef");
  EXPECT_EQ(printable_end("abcdef", 4), "…def");
  EXPECT_EQ(printable_end("注文注文", 4), "…文");  // half a character cannot be shown
  EXPECT_EQ(printable_end("\x1bx", 3), "…x");
  EXPECT_EQ(printable_end("abc", 0), "");
}

TEST(Keys, AreTakenFromWhatATerminalSends) {
  using Kind = Key::Kind;
  const auto keys = [](std::string bytes, bool all) { return take_keys(bytes, all); };
  EXPECT_EQ(keys("j\x1b[A\x1bOB\r", false),
            (std::vector<Key>{{Kind::kText, "j"}, {Kind::kUp}, {Kind::kDown}, {Kind::kEnter}}));
  EXPECT_EQ(keys("\x1b", true), std::vector<Key>{{Kind::kEscape}});
  EXPECT_EQ(keys("\x1b[1;5C", false), std::vector<Key>{});  // no known key sends this
  EXPECT_EQ(keys("ü\x7f\x01", false), (std::vector<Key>{{Kind::kText, "ü"}, {Kind::kBackspace}}));
  EXPECT_EQ(keys("\x15\x17", false), (std::vector<Key>{{Kind::kEraseAll}, {Kind::kEraseWord}}));
  std::string half = "\x1b[5";
  EXPECT_TRUE(take_keys(half, false).empty());
  half += '~';
  EXPECT_EQ(take_keys(half, false), std::vector<Key>{{Kind::kPageUp}});
  EXPECT_EQ(half, "");
}

TEST(Json, IsIndentedWithoutAChangeOfAnyValue) {
  EXPECT_EQ(indented(R"({"b": 1.10,"a":[1e40 ,{}, [ ]],"s":"x, {y}: \"z\""})"),
            "{\n  \"b\": 1.10,\n  \"a\": [\n    1e40,\n    {},\n    []\n  ],\n"
            "  \"s\": \"x, {y}: \\\"z\\\"\"\n}");
  EXPECT_EQ(indented("42 widgets"), "42 widgets");
  EXPECT_EQ(indented("{no json"), "{no json");
  const std::string deep = std::string(66, '[') + std::string(66, ']');
  EXPECT_EQ(indented(deep), deep);
}

TEST(LeftOut, IsSaidInOneLineOfTheScreen) {
  const std::vector<std::string> titles{"STATUS", "CODE", "CAUSE"};
  EXPECT_EQ(left_out_text(titles, "--json has all", {}), "no room for STATUS, CODE, CAUSE: --json has all");
  EXPECT_EQ(left_out_text(titles, "--json has all", {.columns = 47}),
            "no room for STATUS, CODE, CAUSE: --json has all");
  EXPECT_EQ(left_out_text(titles, "--json has all", {.columns = 40}),
            "no room for STATUS, COD…: --json has all");
  EXPECT_EQ(left_out_text(titles, "--json has all", {.columns = 20}), "no room for STATUS,…");
}

TEST(DeadLetterText, SaysHowLongADeliveryWasHeld) {
  DeadLetter letter;
  letter.record.attempts.kept = {
      {.consumer = {.instance = "w1", .version = "2.1"}, .held = 30s, .extended = 2},
      {.end = AttemptEnd::kRejected, .consumer = {.instance = "w2", .version = "2.2"}}};
  EXPECT_THAT(
      dead_letter_lines(letter, {}, {}),
      ::testing::AllOf(
          ::testing::Contains(::testing::EndsWith("lease_expired w1 2.1, held for 30.0 s, extended 2 times")),
          ::testing::Contains(::testing::EndsWith("rejected w2 2.2"))));
}

}  // namespace
}  // namespace holdfast::command
