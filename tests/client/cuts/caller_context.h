// The calls of one caller of the campaign of cuts (cuts_test.cc) share a CallerContext: its clients, its
// queues, what it draws, and ways to see what a call has done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "holdfast/client.h"
#include "tests/client/cuts/doing.h"
#include "tests/client/cuts/ledger.h"
#include "tests/client/cuts/site.h"
#include "tests/support/random.h"

namespace holdfast::testing {

inline constexpr Duration kLease = std::chrono::hours(1);  // longer than a campaign

struct CallerContext {
  // Creates the queues.
  CallerContext(Site& site, Ledger& ledger, Client& client, std::size_t number, std::uint64_t seed);

  // Returns `owner`. If the server was killed since `owner` was used last, it connects anew first.
  Client& connected_owner();
  // Sends until there is room: all clients share the limit of the bytes that are being sent.
  MessageId send_as_owner(const std::string& to, const std::string& body);
  // Sends the only message of its queue. `kills` gets how often the server had been killed by then.
  MessageId send_alone(const std::string& to, const std::string& name, std::uint64_t* kills = nullptr);
  std::string body_of(const std::string& name) const { return name + std::string(site.body_bytes(), '.'); }
  std::string next_name() { return queue + "-" + std::to_string(++named) + "-"; }
  std::optional<PeekedMessage> find(const std::string& in, const MessageId& id);
  std::optional<MessageState> state_of(const std::string& in, const MessageId& id);
  std::uint64_t dead_letters(const MessageId& id);

  Doing doing;
  Site& site;
  Ledger& ledger;
  Client& client;  // whose connections are cut
  Client owner;    // has all rights, and is not cut
  Client others;   // the same, for those who get in the way of a call
  const std::string queue;
  const std::string dead = queue + "-dead";
  const std::string pushed = queue + "-pushed";
  const std::string received = queue + "-received";
  const std::string shared = queue + "-shared";
  Random random;
  std::uint64_t named = 0;
};

}  // namespace holdfast::testing
