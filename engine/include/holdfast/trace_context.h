// This header handles distributed tracing: the W3C Trace Context of a message. The message carries it in its
// attributes, so it is kept through retries, dead-lettering, redrive, export and import. Source:
// https://www.w3.org/TR/trace-context/, level 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/message.h"

namespace holdfast {

// These two attributes have the names and values of the HTTP headers that the standard defines.
inline constexpr std::string_view kTraceParentAttribute = "traceparent";
inline constexpr std::string_view kTraceStateAttribute = "tracestate";

struct TraceContext {
  std::string trace_id = {};   // 32 lower-case hex digits, not all 0
  std::string parent_id = {};  // the span that sent the message: 16 lower-case hex digits, not all 0
  std::uint8_t flags = 0;      // bit 0: sampled
  std::string state = {};      // the value of tracestate, unchanged; may be empty

  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

// Writes the value of traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
std::string to_traceparent(const TraceContext& trace);
// Reads a value of traceparent, and returns nothing if it is malformed. As the standard asks, a value of a
// later version is read as far as version 00 defines it.
std::optional<TraceContext> parse_traceparent(std::string_view text);

// Returns the trace that the attributes carry, or nothing if they have no well-formed traceparent.
std::optional<TraceContext> find_trace(const Attributes& attributes);
// Sets the attributes of the trace. They replace a trace that the message carries already.
void set_trace(Attributes& attributes, const TraceContext& trace);

}  // namespace holdfast
