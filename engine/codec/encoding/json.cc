#include "engine/codec/encoding/json.h"

#include "engine/codec/encoding/json_builder.h"

namespace holdfast {
namespace {

enum class Excess : std::uint8_t { kNone, kDepth, kValues, kMembers };

// Goes through a text without building anything. Its counts are exact as far as the text is JSON, and no
// parser reads beyond that.
class Measurer {
 public:
  explicit Measurer(const JsonBounds& bounds) : bounds_(bounds) {}

  Excess measure(std::string_view text) {
    for (std::size_t at = 0; at < text.size() && excess_ == Excess::kNone && !is_over_; ++at) {
      const char c = text[at];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
      if (c == ']' || c == '}') {
        close();
        continue;
      }
      if (c == ',') {
        add_part();
        continue;
      }
      if (!open_.empty() && open_.back().parts == 0) add_part();
      if (c == '[' || c == '{') open(c == '{');
      if (c == '"') at = end_of_string(text, at);
    }
    return excess_;
  }

  JsonShape take() { return {std::move(members_)}; }

 private:
  struct Open {
    std::size_t parts = 0;
    std::optional<std::size_t> object;  // its place in members_
  };

  // Returns where the string that begins at `at` ends.
  static std::size_t end_of_string(std::string_view text, std::size_t at) {
    for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    return at;
  }

  void open(bool is_object) {
    if (std::cmp_greater_equal(open_.size(), limits::kJsonDepth)) {
      excess_ = Excess::kDepth;
      return;
    }
    open_.push_back({});
    if (!is_object) return;
    open_.back().object = members_.size();
    members_.push_back(0);
  }

  void close() {
    is_over_ = open_.empty();
    if (!is_over_) open_.pop_back();
  }

  void add_part() {
    is_over_ = open_.empty();
    if (is_over_) return;
    Open& last = open_.back();
    ++last.parts;
    if (++values_ > bounds_.values) excess_ = Excess::kValues;
    if (!last.object) return;
    if (last.parts > bounds_.members) excess_ = Excess::kMembers;
    members_[*last.object] = static_cast<std::uint32_t>(last.parts);
  }

  JsonBounds bounds_;
  Excess excess_ = Excess::kNone;
  bool is_over_ = false;    // what comes now is not JSON
  std::size_t values_ = 1;  // the outermost value counts too
  std::vector<Open> open_;
  std::vector<std::uint32_t> members_;
};

}  // namespace

std::optional<JsonShape> measure_json(std::string_view text, const JsonBounds& bounds) {
  Measurer measurer(bounds);
  if (measurer.measure(text) != Excess::kNone) return std::nullopt;
  return measurer.take();
}

Json parse_json(std::string_view text, const JsonBounds& bounds) {
  return build_json<JsonBuilder>(text, bounds);
}

std::string json_fault(std::string_view text, const JsonBounds& bounds) {
  switch (has_zero_byte(text) ? Excess::kNone : Measurer(bounds).measure(text)) {
    case Excess::kDepth:
      return "is nested deeper than " + std::to_string(limits::kJsonDepth) + " levels";
    case Excess::kValues:
      return "has more than " + std::to_string(bounds.values) + " values";
    case Excess::kMembers:
      return "has an object of more than " + std::to_string(bounds.members) + " members";
    case Excess::kNone:
      break;
  }
  return "is not JSON";
}

}  // namespace holdfast
