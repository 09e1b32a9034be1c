#include "engine/redrive/patch.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/limits.h"

namespace holdfast {
namespace {

using Pointer = Json::json_pointer;

bool is_operation(const Json& entry) {
  constexpr std::array kWithValue = {"add", "replace", "test"};
  constexpr std::array kWithFrom = {"move", "copy"};
  if (!entry.is_object() || !entry.contains("op") || !entry["op"].is_string() || !entry.contains("path") ||
      !entry["path"].is_string()) {
    return false;
  }
  const auto& op = entry["op"].get_ref<const std::string&>();
  if (std::ranges::find(kWithValue, op) != kWithValue.end()) return entry.contains("value");
  if (std::ranges::find(kWithFrom, op) != kWithFrom.end())
    return entry.contains("from") && entry["from"].is_string();
  return op == "remove";
}

struct Size {
  std::size_t bytes = 0;  // at most what the value has as text
  std::size_t values = 0;
};

// Bounds limit what a measured value may have. `what` begins the message of the error.
struct Bounds {
  Size most;
  std::string what;
};

tl::unexpected<Error> past(const Bounds& bounds, std::size_t limit, const char* unit) {
  return fail(ErrorCode::kLimitExceeded,
              bounds.what + " more than the limit of " + std::to_string(limit) + " " + unit);
}

// Adds the size of a value to `size`. The value is, or will be, `level` levels below the whole body. The
// function does not recurse, because what it measures may be too deep for that.
Result<void> measure(const Json& value, std::size_t level, const Bounds& bounds, Size& size) {
  std::vector<std::pair<const Json*, std::size_t>> open{{&value, level}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    ++size.values;
    size.bytes += at->is_string() ? 2 + at->get_ref<const std::string&>().size() : 1;
    if (at->is_binary()) size.bytes += at->get_binary().size();
    if (at->is_object()) {
      for (const auto& member : at->items()) size.bytes += member.key().size() + 3;
    }
    if (size.bytes > bounds.most.bytes) return past(bounds, bounds.most.bytes, "bytes");
    if (size.values > bounds.most.values) return past(bounds, bounds.most.values, "values");
    if (!at->is_structured()) continue;
    if (std::cmp_greater_equal(depth, limits::kJsonDepth)) {
      return fail(ErrorCode::kLimitExceeded,
                  "the edited body is nested deeper than " + std::to_string(limits::kJsonDepth) + " levels");
    }
    for (const Json& part : *at) open.emplace_back(&part, depth + 1);
  }
  return {};
}

std::vector<std::string> tokens_of(Pointer pointer) {
  std::vector<std::string> tokens;
  for (; !pointer.empty(); pointer.pop_back()) tokens.push_back(pointer.back());
  std::ranges::reverse(tokens);
  return tokens;
}

// A step takes a nanosecond or two. So many of them count for a member that is looked at, or for a part of an
// array that makes room. Each byte of the name that is looked for counts as one more step, because other
// names may begin like it.
constexpr std::size_t kStepsEach = 8;

// Returns the steps on the way to a value. Members of objects are looked at one after another, and the parts
// of what contains the value may have to make room.
std::size_t steps_to(const std::vector<std::string>& tokens, const Json& body) {
  std::size_t steps = 0;
  const Json* at = &body;
  for (const std::string& token : tokens) {
    const std::size_t compared = at->is_object() ? token.size() : 0;
    if (at->is_object() || &token == &tokens.back()) steps += at->size() * (kStepsEach + compared);
    const Pointer step = Pointer() / token;
    if (!at->contains(step)) break;
    at = &at->at(step);
  }
  return steps;
}

// Applies operations one after another. What an operation may take is counted before it is done.
class Patching {
 public:
  Patching(std::size_t limit, Json& body)
      : copies_{.most = {.bytes = limit, .values = limits::kJsonValues}, .what = "the patch copies"},
        body_(body) {}

  Result<void> apply(const Json& operation) {
    const auto& op = operation["op"].get_ref<const std::string&>();
    const Pointer path(operation["path"].get_ref<const std::string&>());
    if (auto ok = count_way(path); !ok) return ok;
    if (op == "add") return add(path, operation["value"]);
    if (op == "remove") return remove(path);
    if (op == "replace" || op == "test") {
      apply_by_library(operation);
      return {};
    }
    const Pointer from(operation["from"].get_ref<const std::string&>());
    if (auto ok = count_way(from); !ok) return ok;
    return op == "move" ? move(from, path) : copy(from, path);
  }

 private:
  Result<void> count_way(const Pointer& path) {
    steps_ += steps_to(tokens_of(path), body_);
    if (steps_ <= limits::kPatchSteps) return {};
    return fail(ErrorCode::kLimitExceeded,
                "the patch takes more than the limit of " + std::to_string(limits::kPatchSteps) + " steps");
  }

  void apply_by_library(const Json& operation) { body_.patch_inplace(Json::array({operation})); }

  // Checks that what contains the value is an object or an array, since nothing else contains anything (RFC
  // 6902, 4.1). The library takes that for granted, and otherwise asserts or does nothing.
  Result<void> check_container(const Pointer& path) const {
    if (path.empty()) return {};
    const Pointer container = path.parent_pointer();
    if (!body_.contains(container) || body_.at(container).is_structured()) return {};
    return fail(ErrorCode::kInvalidArgument,
                "the patch does not fit: '" + path.to_string() + "' is not within an object or an array");
  }

  Result<void> add(const Pointer& path, Json value) {
    if (auto ok = check_container(path); !ok) return ok;
    apply_by_library({{"op", "add"}, {"path", path.to_string()}, {"value", nullptr}});
    const bool is_appended =
        !path.empty() && path.back() == "-" && body_.at(path.parent_pointer()).is_array();
    (is_appended ? body_.at(path.parent_pointer()).back() : body_.at(path)) = std::move(value);
    return {};
  }

  Result<void> remove(const Pointer& path) {
    if (auto ok = check_container(path); !ok) return ok;
    apply_by_library({{"op", "remove"}, {"path", path.to_string()}});
    return {};
  }

  Result<void> move(const Pointer& from, const Pointer& path) {
    Json value = std::move(body_.at(from));
    if (auto ok = remove(from); !ok) return ok;
    return add(path, std::move(value));
  }

  Result<void> copy(const Pointer& from, const Pointer& path) {
    const Json& value = body_.at(from);
    if (auto ok = measure(value, tokens_of(path).size(), copies_, copied_); !ok) return ok;
    return add(path, value);
  }

  const Bounds copies_;
  Size copied_;
  std::size_t steps_ = 0;
  Json& body_;
};

}  // namespace

bool is_patch(const Json& operations) {
  return operations.is_array() && std::ranges::all_of(operations, is_operation);
}

Result<void> apply_patch(const Json& operations, std::size_t limit, Json& body) {
  Patching patching(limit, body);
  for (const Json& operation : operations) {
    if (auto ok = patching.apply(operation); !ok) return ok;
  }
  Size size;
  return measure(body, 0,
                 {.most = {.bytes = limit, .values = limits::kJsonValues}, .what = "the edited body has"},
                 size);
}

}  // namespace holdfast
