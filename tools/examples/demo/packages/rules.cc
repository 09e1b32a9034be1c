#include "tools/examples/demo/packages/rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/examples/demo/packages/relations.h"

namespace holdfast::demo {
namespace {

constexpr std::size_t kSynopsisMax = 80;

std::optional<Rejection> check_homepage(const Package& package, const Rules& rules) {
  const auto homepage = package.field("Homepage");
  if (!homepage || homepage->empty()) {
    return Rejection{.category = kHomepageCategory, .reason = "no homepage", .code = "homepage-missing"};
  }
  const bool https = homepage->starts_with("https://");
  if (https || (!rules.https_only && homepage->starts_with("http://"))) return std::nullopt;
  const auto scheme = homepage->substr(0, homepage->find(':'));
  return Rejection{.category = kHomepageCategory,
                   .reason = fmt::format("homepage uses {}, not https", scheme),
                   .code = "homepage-scheme"};
}

// Checks that there is exactly one maintainer, in the form "Name <user@host>".
std::optional<Rejection> check_maintainer(const Package& package) {
  const std::string_view text = package.field("Maintainer").value_or("");
  const auto open = text.find(" <");
  const auto at = text.find('@');
  const bool one_address = std::ranges::count(text, '<') == 1 && std::ranges::count(text, '@') == 1;
  if (one_address && open != 0 && open < at && text.ends_with('>') && at + 2 < text.size())
    return std::nullopt;
  return Rejection{
      .category = "maintainer", .reason = "not one name and address", .code = "maintainer-syntax"};
}

std::optional<Rejection> check_description(const Package& package) {
  std::string_view synopsis = package.field("Description").value_or("");
  synopsis = synopsis.substr(0, synopsis.find('\n'));
  if (synopsis.empty()) {
    return Rejection{.category = "description", .reason = "no synopsis", .code = "synopsis-missing"};
  }
  if (synopsis.size() <= kSynopsisMax) return std::nullopt;
  return Rejection{.category = "description",
                   .reason = fmt::format("synopsis is longer than {} bytes", kSynopsisMax),
                   .code = "synopsis-length"};
}

std::optional<Rejection> check_size(const Package& package) {
  if (package.field("Installed-Size")) return std::nullopt;
  return Rejection{.category = "size", .reason = "no installed size", .code = "size-missing"};
}

std::optional<Rejection> check_depends(const Package& package, const Rules& rules) {
  for (const char* field : {"Depends", "Pre-Depends"}) {
    switch (check_relations(package.field(field).value_or(""))) {
      case Relations::kFine:
        break;
      case Relations::kMalformed:
        return Rejection{.category = "dependencies",
                         .reason = fmt::format("{} does not parse", field),
                         .code = "relation-syntax"};
      case Relations::kTooMany:
        rules.crash();
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> check(const Package& package, const Rules& rules) {
  if (auto rejection = check_depends(package, rules)) return rejection;
  if (auto rejection = check_maintainer(package)) return rejection;
  if (auto rejection = check_description(package)) return rejection;
  if (auto rejection = check_size(package)) return rejection;
  return check_homepage(package, rules);
}

}  // namespace holdfast::demo
