// A caller is a client with the rights that it has shown.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/access/sessions.h"
#include "server/clients/peer.h"

namespace holdfast::server {

// One client can be several callers: with each token that it shows, it is another caller. Only the loop's
// thread uses a caller.
class Caller {
 public:
  // `rights` is null if there is no access control for this client. `place` is the caller's place among those
  // that the client has become by showing a token; it is null for the caller that the client is before.
  Caller(std::shared_ptr<Peer> peer, std::shared_ptr<const Rights> rights,
         std::unique_ptr<Peer::CountedPlace> place = nullptr)
      : peer_(std::move(peer)), rights_(std::move(rights)), place_(std::move(place)) {}
  // Makes the same caller within a session.
  Caller(const Caller& other, SessionLifeline session)
      : peer_(other.peer_), rights_(other.rights_), place_(other.place_), session_(std::move(session)) {}

  Peer& peer() const { return *peer_; }
  const std::shared_ptr<Peer>& shared_peer() const { return peer_; }
  State& state() const { return peer_->state(); }
  const std::shared_ptr<const Rights>& rights() const { return rights_; }

  // Returns whether a token gave the rights and has been revoked since, or gives others now, or the caller's
  // session has ended.
  bool is_revoked() const;

  // Returns who calls, for the audit: the name of the token, followed by what the client says of itself in
  // brackets. Without access control it is what the client says.
  std::string actor(std::string said) const;
  // Returns the request id under which the engine knows a call of this caller that says `said` as its request
  // id. With access control, callers with another token's name have other ids, so that nobody meets, blocks
  // or learns of the ids of others. The name lasts when the token's secret is replaced.
  std::string request_id(std::string said) const;
  // Returns what an answer leaves out: what was asked to be left out, and what the caller may not see.
  Redaction redaction(Redaction asked) const;
  // Checks whether the caller may receive from the queue. kPermissionDenied, kQueueNotFound.
  Result<void> check_consume(const std::string& queue) const;
  // Checks whether the caller may have messages changed by this edit. kPermissionDenied.
  Result<void> check_edit(const RedriveEdit& edit) const;
  // Checks whether the caller may bring these dead letters back into the queue. kPermissionDenied,
  // kQueueNotFound.
  Result<void> check_import(std::string_view queue, std::span<const DeadLetter> letters) const;

 private:
  const std::shared_ptr<Peer> peer_;
  const std::shared_ptr<const Rights> rights_;
  const std::shared_ptr<Peer::CountedPlace> place_;
  const std::optional<SessionLifeline> session_;
};

// Returns the caller that the client of `peer` is once it has shown this token. kPermissionDenied,
// kOverloaded.
Result<std::shared_ptr<const Caller>> caller_with_token(const std::shared_ptr<Peer>& peer,
                                                        const std::string& token);

}  // namespace holdfast::server
