#include "engine/storage/store.h"

#include <array>
#include <charconv>

namespace holdfast {
namespace {

constexpr std::array<std::string_view, kFamilyCount> kNames = {
    "catalog",           "messages",        "deliveries",
    "scheduled",         "dead_letters",    "dead_letter_history",
    "dead_letter_index", "dead_letter_ids", "dedup",
    "redrive_tasks",     "journal",
};

constexpr std::string_view kApplicationPrefix = "app-";

}  // namespace

std::string family_name(Family family) {
  const auto number = static_cast<std::uint64_t>(family);
  if (number < kFamilyCount) return std::string(kNames[number]);
  const auto first = static_cast<std::uint64_t>(kFirstApplicationFamily);
  return std::string(kApplicationPrefix) + std::to_string(number - first);
}

std::optional<Family> parse_application_family(std::string_view name) {
  if (!name.starts_with(kApplicationPrefix)) return std::nullopt;
  name.remove_prefix(kApplicationPrefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  const Family family = application_family(number);
  if (!is_application_family(family)) return std::nullopt;  // the number wrapped around
  return family;
}

}  // namespace holdfast
