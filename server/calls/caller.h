// Who makes calls: a client, with the rights that it has shown.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/clients/peer.h"

namespace holdfast::server {

// One client can be several callers: it is another one with each token that it shows. The loop's thread only.
class Caller {
 public:
  // `rights`: null if there is no access control for this client. `place`: among those that the client has
  // become by showing a token; null for what it is before.
  Caller(std::shared_ptr<Peer> peer, std::shared_ptr<const Rights> rights,
         std::unique_ptr<Peer::CountedPlace> place = nullptr)
      : peer_(std::move(peer)), rights_(std::move(rights)), place_(std::move(place)) {}

  Peer& peer() const { return *peer_; }
  const std::shared_ptr<Peer>& shared_peer() const { return peer_; }
  State& state() const { return peer_->state(); }
  const std::shared_ptr<const Rights>& rights() const { return rights_; }

  // Whether a token gave it its rights that has been revoked since, or gives others now.
  bool is_revoked() const;

  // Who calls, for the audit: the name of the token, with what the client says of itself in brackets. Where
  // nobody has to show a token, what the client says.
  std::string actor(std::string said) const;
  // What an answer leaves out: what was asked for, and what the caller may not see.
  Redaction redaction(Redaction asked) const;
  // Whether the caller may have messages edited so. kPermissionDenied.
  Result<void> check_edit(const RedriveEdit& edit) const;
  // Whether the caller may bring these back there. kPermissionDenied, kQueueNotFound.
  Result<void> check_import(std::string_view queue, std::span<const DeadLetter> letters) const;

 private:
  const std::shared_ptr<Peer> peer_;
  const std::shared_ptr<const Rights> rights_;
  const std::unique_ptr<Peer::CountedPlace> place_;
};

// Who the client of `peer` is once it has shown this token. kPermissionDenied, kOverloaded.
Result<std::shared_ptr<const Caller>> caller_with_token(const std::shared_ptr<Peer>& peer,
                                                        const std::string& token);

}  // namespace holdfast::server
