#include "engine/base/helpers/lease_reason.h"

namespace holdfast {
namespace {

constexpr std::string_view kRanOut = "the lease ran out: ";
constexpr std::string_view kHeld = " had it for ";
constexpr std::string_view kExtensions = "; extensions of the lease: ";

std::string seconds(std::uint32_t ms) {
  return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

}  // namespace

std::string lease_reason(const Consumer& consumer, std::uint32_t held_ms, std::uint32_t extended) {
  const auto& [instance, version] = consumer;
  std::string text(kRanOut);
  text += instance.empty() ? "a consumer without a name" : "'" + instance + "'";
  if (!version.empty()) text += ", version '" + version + "',";
  text += kHeld;
  text += seconds(held_ms);
  text += kExtensions;
  return text + std::to_string(extended);
}

std::string_view lease_reason_kind(std::string_view reason) {
  if (!reason.starts_with(kRanOut)) return {};
  const auto held = reason.find(kHeld);
  if (held == std::string_view::npos || reason.find(kExtensions, held) == std::string_view::npos) return {};
  return kRanOut;
}

}  // namespace holdfast
