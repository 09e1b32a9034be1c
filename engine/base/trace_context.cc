// A trace context is read as the W3C asks: what is malformed is as good as absent, and a later version is
// read by the part that all versions have in common.
#include "holdfast/trace_context.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::string_view kVersion = "00";
constexpr std::size_t kVersionDigits = 2;
constexpr std::size_t kTraceIdDigits = 32;
constexpr std::size_t kParentIdDigits = 16;
constexpr std::size_t kFlagsDigits = 2;

bool is_hex(std::string_view text) { return text.find_first_not_of(kDigits) == std::string_view::npos; }

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

// Takes so many hex digits off the text, and the dash that must follow them if there is more.
std::optional<std::string_view> take(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  const auto taken = text.substr(0, digits);
  text.remove_prefix(digits);
  if (!is_hex(taken)) return std::nullopt;
  if (text.empty()) return taken;
  if (text.front() != '-') return std::nullopt;
  text.remove_prefix(1);
  return taken;
}

}  // namespace

std::string to_traceparent(const TraceContext& trace) {
  std::string text(kVersion);
  text += '-' + trace.trace_id + '-' + trace.parent_id + '-';
  text += kDigits[trace.flags >> 4];
  text += kDigits[trace.flags & 15];
  return text;
}

std::optional<TraceContext> parse_traceparent(std::string_view text) {
  const auto whole = text;
  const auto version = take(text, kVersionDigits);
  const auto trace_id = take(text, kTraceIdDigits);
  const auto parent_id = take(text, kParentIdDigits);
  const auto flags = take(text, kFlagsDigits);
  if (!version || !trace_id || !parent_id || !flags) return std::nullopt;
  if (*version == "ff" || is_zero(*trace_id) || is_zero(*parent_id)) return std::nullopt;
  const bool more = flags->data() + flags->size() != whole.data() + whole.size();
  if (more && *version == kVersion) return std::nullopt;
  const auto value = kDigits.find(flags->front()) * 16 + kDigits.find(flags->back());
  return TraceContext{.trace_id = std::string(*trace_id),
                      .parent_id = std::string(*parent_id),
                      .flags = static_cast<std::uint8_t>(value)};
}

std::optional<TraceContext> find_trace(const Attributes& attributes) {
  auto trace = parse_traceparent(find_attribute(attributes, kTraceParentAttribute));
  if (trace) trace->state = find_attribute(attributes, kTraceStateAttribute);
  return trace;
}

void set_trace(Attributes& attributes, const TraceContext& trace) {
  std::erase_if(attributes, [](const Attribute& attribute) {
    return attribute.name == kTraceParentAttribute || attribute.name == kTraceStateAttribute;
  });
  attributes.push_back({std::string(kTraceParentAttribute), to_traceparent(trace)});
  if (!trace.state.empty()) attributes.push_back({std::string(kTraceStateAttribute), trace.state});
}

}  // namespace holdfast
