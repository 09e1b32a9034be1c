// Callers has those who call over one HTTP connection.
#pragma once

#include <memory>
#include <string>

#include "server/calls/caller.h"

namespace holdfast::server {

// Only the loop's thread uses it.
class Callers {
 public:
  explicit Callers(const std::shared_ptr<Peer>& peer);

  // Returns whether clients must show tokens.
  bool are_controlled() const { return is_controlled_; }
  // Returns the caller for a request that shows this token, or for one that shows none if it is empty. Each
  // request shows its token again, so a token whose grants change gives the new ones at once, over the same
  // connection. kPermissionDenied for a token that is unknown now, kOverloaded.
  Result<std::shared_ptr<const Caller>> caller_of(const std::string& token);
  // Returns the caller that signs in with this token. An empty token is unknown: kPermissionDenied.
  Result<std::shared_ptr<const Caller>> sign_in(const std::string& token);

  const State& state() const { return state_; }

 private:
  Result<std::shared_ptr<const Caller>> authenticate(const std::string& token);

  const State& state_;
  const bool is_controlled_;
  const std::shared_ptr<const Caller> root_;
  // `token_` is the token that was shown last, and `known_` is its caller.
  std::string token_;
  std::shared_ptr<const Caller> known_;
};

}  // namespace holdfast::server
