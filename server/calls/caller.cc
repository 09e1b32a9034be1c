#include "server/calls/caller.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "holdfast/limits.h"
#include "server/access/guard.h"
#include "server/access/tokens.h"
#include "server/calls/call_log.h"

namespace holdfast::server {

bool Caller::is_revoked() const {
  if (session_ && session_->is_over(std::chrono::steady_clock::now())) return true;
  return are_revoked(rights_.get(), state().options.tokens.get());
}

std::string Caller::actor(std::string said) const {
  if (!rights_ || said == rights_->name || said.size() > limits::kActorBytes) return said;
  if (said.empty()) return rights_->name;
  const std::string begin = rights_->name.empty() ? "(" : rights_->name + " (";
  if (begin.size() >= limits::kActorBytes) return rights_->name;
  said.resize(std::min(said.size(), limits::kActorBytes - begin.size() - 1));
  return begin + said + ")";
}

// The engine gets a digest, since a name and an id together can be longer than an id. An id that is too long
// by itself stays as it is, and the engine refuses it.
std::string Caller::request_id(std::string said) const {
  if (!rights_ || said.empty() || said.size() > limits::kRequestIdBytes) return said;
  constexpr char kSeparator = '\n';  // no name has one
  return hash_of(rights_->name + kSeparator + said);
}

Redaction Caller::redaction(Redaction asked) const {
  return rights_ ? both(std::move(asked), rights_->hidden) : asked;
}

Result<void> Caller::check_consume(const std::string& queue) const {
  return rights_ ? server::check_consume(*rights_, queue) : Result<void>();
}

Result<void> Caller::check_edit(const RedriveEdit& edit) const {
  return rights_ ? server::check_edit(*rights_, edit) : Result<void>();
}

Result<void> Caller::check_import(std::string_view queue, std::span<const DeadLetter> letters) const {
  return rights_ ? server::check_import(*rights_, queue, letters) : Result<void>();
}

Result<std::shared_ptr<const Caller>> caller_with_token(const std::shared_ptr<Peer>& peer,
                                                        const std::string& token) {
  auto place = peer->admit_authentication();
  if (!place) return tl::unexpected(place.error());
  std::shared_ptr<const Rights> rights;
  State& state = peer->state();
  if (const auto& tokens = state.options.tokens) {
    auto admitted = tokens->admit(token);
    if (!admitted) return tl::unexpected(admitted.error());
    rights = *std::move(admitted);
    peer->set_principal(rights->name);
    peer->set_authenticated();
    log_limited(state, spdlog::level::info, peer->line("authenticated"));
  }
  return std::make_shared<const Caller>(peer, std::move(rights), std::move(*place));
}

}  // namespace holdfast::server
