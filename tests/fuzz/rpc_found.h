// Every connection finds this at the server of rpc.cc. The guests are those who may come in there.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string_view>

#include "holdfast/engine.h"
#include "server/access/tokens.h"

namespace holdfast::fuzz {

// Questions with this number or a higher one may be answered with an error.
inline constexpr std::uint32_t kMayFail = 100;
// Questions with this number or a higher one must be refused for want of a right.
inline constexpr std::uint32_t kMustBeRefused = 200;

inline constexpr const char* kSource = "source";  // whose dead letters come to kQueue
inline constexpr const char* kDead = "dead";      // where those of kQueue go

inline constexpr const char* kHiddenAttribute = "card";

struct Found {
  Receipt receipt;    // valid
  Receipt foreign;    // of kSource
  MessageId message;  // the leased one
  TaskId task{};      // a redrive that is done
  DeadLetter letter;
};

// Fills kQueue with a leased message, a dead letter, the history of another dead letter and a ready message.
Found prepare(Engine& engine);

// A Guest has a token. A connection without a token is the server's own user, who may do everything.
struct Guest {
  const char* name;    // the token is the same
  const char* rights;  // as a line of the file of tokens has them
  // `may` has the calls that are not refused, with the arguments of the seeds.
  std::set<std::string_view> may;
};

// This guest operates kQueue, but sees nothing of the content of its messages, and may not put anything into
// kSource.
const Guest& night();
// This guest works on the messages of kQueue.
const Guest& worker();

std::shared_ptr<const server::Tokens> tokens();

// Returns what a connection finds at the server that run_rpc() talks to.
Found what_is_found();

}  // namespace holdfast::fuzz
