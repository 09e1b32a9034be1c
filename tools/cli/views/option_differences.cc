#include "tools/cli/views/option_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cli/json.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/option_words.h"
#include "tools/cli/texts/retry.h"

namespace holdfast::command {
namespace {

using NamedValue = std::pair<std::string, Json>;

constexpr std::string_view kTerms = "_terms";  // the terms of an alert rule beside its threshold
constexpr std::string_view kMilliseconds = "_ms";

// Lists each value with the names that lead to it, such as "alerts.depth", and "alerts.depth.severity" for a
// term of the rule.
void flatten(const Json& value, const std::string& name, std::vector<NamedValue>& flat) {
  if (!value.is_object()) {
    flat.emplace_back(name, value);
    return;
  }
  const std::string within = name.ends_with(kTerms) ? name.substr(0, name.size() - kTerms.size()) : name;
  for (const auto& [key, inner] : value.items())
    flatten(inner, within.empty() ? key : fmt::format("{}.{}", within, key), flat);
}

std::vector<NamedValue> named_values(const QueueOptions& options) {
  QueueInfo info;
  info.options = options;
  std::vector<NamedValue> flat;
  Json object = to_json(info).at("options");
  object["retry"] = format_retry(options.retry.policy);  // a retry policy is typed as one value
  flatten(object, "", flat);
  return flat;
}

std::string value_text(const std::string& name, const Json& value) {
  if (value.is_null()) return "off";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number() && name.ends_with(kMilliseconds))
    return format_duration(Duration(static_cast<std::int64_t>(value.get<double>() * 1000)));
  if (value.is_string()) return value.get<std::string>().empty() ? "none" : value.get<std::string>();
  return value.dump();
}

}  // namespace

std::string differences(const QueueOptions& is, const QueueOptions& asked) {
  const std::vector<NamedValue> there = named_values(is);
  std::vector<NamedValue> wanted = named_values(asked);
  std::string text;
  const auto add = [&](const std::string& name, const std::string& now, const std::string& then) {
    const bool of_time = name.ends_with(kMilliseconds);
    const std::string option =
        option_as_typed(of_time ? name.substr(0, name.size() - kMilliseconds.size()) : name);
    text += fmt::format("{}{} is {}, not {}", text.empty() ? "" : "; ", option, now, then);
  };
  for (const auto& [name, value] : there) {
    const auto same = std::ranges::find(wanted, name, &NamedValue::first);
    if (same == wanted.end()) {
      add(name, value_text(name, value), "none");
      continue;
    }
    if (same->second != value) add(name, value_text(name, value), value_text(name, same->second));
    wanted.erase(same);
  }
  for (const auto& [name, value] : wanted) add(name, "none", value_text(name, value));
  return text;
}

}  // namespace holdfast::command
