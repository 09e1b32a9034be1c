// The trace context of a message, in the form of the W3C standard: how it is read and written, and how it
// lies in the attributes. A malformed one counts as none.
#include "holdfast/trace_context.h"

#include <gmock/gmock.h>

namespace holdfast {
namespace {

using ::testing::ElementsAre;

// The standard gives this example.
constexpr const char* kExample = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

const TraceContext kTrace{
    .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736", .parent_id = "00f067aa0ba902b7", .flags = 1};

TEST(TraceContext, IsReadAndWritten) {
  EXPECT_EQ(parse_traceparent(kExample), kTrace);
  EXPECT_EQ(to_traceparent(kTrace), kExample);
  TraceContext other = kTrace;
  for (int flags = 0; flags < 256; ++flags) {
    other.flags = static_cast<std::uint8_t>(flags);
    EXPECT_EQ(parse_traceparent(to_traceparent(other)), other);
  }
}

TEST(TraceContext, OfALaterVersionIsReadAsFarAsItIsKnown) {
  EXPECT_EQ(parse_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), kTrace);
  EXPECT_EQ(parse_traceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-comes"), kTrace);
}

TEST(TraceContext, MalformedIsNone) {
  for (const char* text : {
           "",
           "00",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
           "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
           "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
           "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
           "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
       })
    EXPECT_FALSE(parse_traceparent(text)) << text;
}

TEST(TraceContext, LiesInTheAttributes) {
  Attributes attributes{{"a", "1"}, {"traceparent", "old"}, {"b", "2"}, {"tracestate", "old"}};
  EXPECT_FALSE(find_trace(attributes));
  TraceContext trace = kTrace;
  trace.state = "vendor=1";
  set_trace(attributes, trace);
  EXPECT_EQ(find_trace(attributes), trace);
  set_trace(attributes, kTrace);
  EXPECT_EQ(find_trace(attributes), kTrace);
  EXPECT_THAT(attributes,
              ElementsAre(Attribute{"a", "1"}, Attribute{"b", "2"}, Attribute{"traceparent", kExample}));
}

}  // namespace
}  // namespace holdfast
