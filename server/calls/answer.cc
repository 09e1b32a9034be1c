#include "server/calls/answer.h"

#include <vector>

#include "server/logging/method_names.h"

namespace holdfast::server {
namespace {

bool shows_what_is_stored(std::uint16_t method) {
  static const std::vector<bool> shows = methods_named(
      {"listQueues", "queueStatistics", "peek", "messageHistory", "listDeadLetters", "findDeadLetters",
       "groupDeadLetters", "deadLetterStatistics", "previewRedrive", "previewPark", "listRedrives"});
  return method < shows.size() && shows[method];
}

}  // namespace

Result<void> admit_answer(const Peer& peer, const LoggedCall& request) {
  return shows_what_is_stored(request.method) ? peer.admit_reply(0) : Result<void>();
}

}  // namespace holdfast::server
