// Distributed tracing: the W3C Trace Context of a message, carried in its attributes, and so kept through
// retries, dead-lettering, redrive, export and import. Source: https://www.w3.org/TR/trace-context/, level 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/message.h"

namespace holdfast {

// The attributes, called as the HTTP headers are, and with their values.
inline constexpr std::string_view kTraceParentAttribute = "traceparent";
inline constexpr std::string_view kTraceStateAttribute = "tracestate";

struct TraceContext {
  std::string trace_id = {};   // 32 lower-case hex digits, not all 0
  std::string parent_id = {};  // of the span that sent the message: 16 lower-case hex digits, not all 0
  std::uint8_t flags = 0;      // bit 0: sampled
  std::string state = {};      // the vendors' part, as it came; may be empty

  friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".
std::string to_traceparent(const TraceContext& trace);
// Of any version, as the standard says: of a later one what version 00 knows of. None if it is malformed.
std::optional<TraceContext> parse_traceparent(std::string_view text);

// What the attributes carry; none if there is no well-formed traceparent among them.
std::optional<TraceContext> find_trace(const Attributes& attributes);
// Has the attributes carry this trace, in the place of one that they carry already.
void set_trace(Attributes& attributes, const TraceContext& trace);

}  // namespace holdfast
