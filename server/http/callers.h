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
  // Whoever shows this token; without one, what a client is before it shows any. The calls of one whose token
  // has been revoked since it was shown over this connection are refused. kPermissionDenied, kOverloaded.
  Result<std::shared_ptr<const Caller>> caller_of(const std::string& token);
  // Whoever signs in with this token, which has to be one that is known now: if it was revoked since it was
  // shown over this connection, it is not, and if it has other grants, it gives those.
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
