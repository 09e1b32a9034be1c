// Tokens of clients, without a file that they are in.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/tokens.h"
#include "tests/support/result_matchers.h"

namespace holdfast::server {

inline std::shared_ptr<const Tokens> tokens_of(const std::vector<TokenEntry>& entries) {
  return std::make_shared<const Tokens>(entries);
}

// One that may do what `grant` says, to be shown as `token`.
inline TokenEntry token_with(const std::string& token, const std::string& name, std::string_view grant) {
  return {.hash = hash_of(token), .rights = {.name = name, .grants = {testing::must(parse_grant(grant))}}};
}

}  // namespace holdfast::server
