// Who calls over one HTTP connection.
#pragma once

#include <memory>
#include <string>

#include "server/calls/caller.h"

namespace holdfast::server {

// The loop's thread only.
class Callers {
 public:
  explicit Callers(const std::shared_ptr<Peer>& peer);

  // Whether clients have tokens to show.
  bool are_controlled() const { return is_controlled_; }
  // The client that shows this token with a request; without a token, what a client is before it shows any.
  // Each request shows its token anew, so that a token with other grants gives those at once, over the same
  // connection. kPermissionDenied for a token that is not known now, kOverloaded.
  Result<std::shared_ptr<const Caller>> caller_of(const std::string& token);
  // The client that signs in with this token. No token is none that is known: kPermissionDenied.
  Result<std::shared_ptr<const Caller>> sign_in(const std::string& token);

  const State& state() const { return state_; }

 private:
  Result<std::shared_ptr<const Caller>> authenticate(const std::string& token);

  const State& state_;
  const bool is_controlled_;
  const std::shared_ptr<const Caller> root_;
  // The last token that was shown, and who shows it.
  std::string token_;
  std::shared_ptr<const Caller> known_;
};

}  // namespace holdfast::server
