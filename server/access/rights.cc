#include "server/access/rights.h"

#include <algorithm>
#include <array>

#include "holdfast/limits.h"

namespace holdfast::server {
namespace {

constexpr unsigned kAll = 15;

struct NamedRight {
  std::string_view name;
  unsigned rights;
};
constexpr std::array<NamedRight, 5> kNames = {
    {{"produce", 1}, {"consume", 2}, {"operate", 4}, {"administer", 8}, {"all", kAll}}};

bool matches(std::string_view pattern, std::string_view queue) {
  if (!pattern.ends_with('*')) return pattern == queue;
  return queue.starts_with(pattern.substr(0, pattern.size() - 1));
}

tl::unexpected<Error> bad(std::string_view text, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument,
              "grant '" + std::string(text) + "': " + what + " (like produce,consume:orders-*)");
}

bool is_pattern(std::string_view text) {
  if (text.ends_with('*')) text.remove_suffix(1);
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  };
  return text.size() <= limits::kQueueNameBytes && std::ranges::all_of(text, allowed);
}

}  // namespace

Result<Grant> parse_grant(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return bad(text, "a ':' is missing between rights and queue");
  Grant grant{.queues = std::string(text.substr(colon + 1))};
  if (grant.queues.empty() || !is_pattern(grant.queues))
    return bad(text, "no name of a queue, or its beginning and '*'");
  if (text.substr(0, colon).ends_with(',')) return bad(text, "a right is missing after ','");
  for (std::string_view rest = text.substr(0, colon); !rest.empty() || grant.rights == 0;) {
    const auto name = rest.substr(0, rest.find(','));
    const auto* known = std::ranges::find(kNames, name, &NamedRight::name);
    if (known == kNames.end()) return bad(text, "no right '" + std::string(name) + "'");
    grant.rights |= known->rights;
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
  }
  return grant;
}

std::string to_string(const Grant& grant) {
  std::string text;
  if (grant.rights == kAll) return "all:" + grant.queues;
  for (const auto& [name, rights] : kNames) {
    if (rights == kAll || (grant.rights & rights) == 0) continue;
    text += (text.empty() ? "" : ",") + std::string(name);
  }
  return text + ":" + grant.queues;
}

bool Rights::allow(Right right, std::string_view queue) const {
  return std::ranges::any_of(grants, [&](const Grant& grant) {
    return (grant.rights & static_cast<unsigned>(right)) != 0 && matches(grant.queues, queue);
  });
}

bool Rights::allow_everywhere(Right right) const {
  return std::ranges::any_of(grants, [&](const Grant& grant) {
    return (grant.rights & static_cast<unsigned>(right)) != 0 && grant.queues == "*";
  });
}

bool Rights::know(std::string_view queue) const {
  return std::ranges::any_of(grants, [&](const Grant& grant) { return matches(grant.queues, queue); });
}

}  // namespace holdfast::server
