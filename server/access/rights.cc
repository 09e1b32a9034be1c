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

constexpr std::string_view kHide = "hide=";
constexpr std::string_view kAttribute = "attribute:";

bool matches(std::string_view pattern, std::string_view queue) {
  if (!pattern.ends_with('*')) return pattern == queue;
  return queue.starts_with(pattern.substr(0, pattern.size() - 1));
}

tl::unexpected<Error> bad(std::string_view text, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument,
              "grant '" + std::string(text) + "': " + what + " (such as produce,consume:orders-*)");
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
    return bad(text, "expected the name of a queue, or its beginning and '*'");
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

Result<void> add_word(Rights& rights, std::string_view word) {
  if (!word.starts_with(kHide)) {
    auto grant = parse_grant(word);
    if (!grant) return tl::unexpected(grant.error());
    rights.grants.push_back(std::move(*grant));
    return {};
  }
  const auto what = word.substr(kHide.size());
  if (what == "body") {
    rights.hidden.bodies = true;
    return {};
  }
  const bool named = what.starts_with(kAttribute) && what.size() > kAttribute.size() &&
                     what.size() <= kAttribute.size() + limits::kAttributeNameBytes;
  if (!named) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(word) + "': expected hide=body or hide=attribute:NAME");
  }
  if (rights.hidden.attributes.size() == limits::kRedactedAttributes) {
    return fail(ErrorCode::kLimitExceeded, "'" + std::string(word) +
                                               "': " + std::to_string(limits::kRedactedAttributes) +
                                               " attributes are hidden already, which is the limit");
  }
  rights.hidden.attributes.emplace_back(what.substr(kAttribute.size()));
  return {};
}

std::string words(const Rights& rights) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const Grant& grant : rights.grants) add(to_string(grant));
  if (rights.hidden.bodies) add(std::string(kHide) + "body");
  for (const std::string& name : rights.hidden.attributes)
    add(std::string(kHide) + std::string(kAttribute) + name);
  return text;
}

Result<void> check_consistent(const Rights& rights) {
  const bool receives = std::ranges::any_of(rights.grants, [](const Grant& grant) {
    return (grant.rights & static_cast<unsigned>(Right::kConsume)) != 0;
  });
  if (rights.hidden.empty() || !receives) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      "'" + rights.name +
          "': a token that may consume (also by 'all') sees whole messages, so it cannot hide anything");
}

}  // namespace holdfast::server
