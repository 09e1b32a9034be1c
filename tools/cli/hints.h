// Suggests what to do about an error.
#pragma once

#include <string>

#include "holdfast/error.h"

namespace holdfast::command {

// ReachedServer is the server that the command wanted to reach.
struct ReachedServer {
  std::string server;
  bool of_variable = false;  // HOLDFAST_SERVER named it, nobody typed it
  bool connected = false;    // the server answered, so the error belongs to a call
};

// Returns whether a declaration names a dead letter queue or a parking queue that does not exist.
bool is_missing_target(const Error& error);

// Returns an empty text if there is nothing to suggest.
std::string hint_for(const Error& error, const ReachedServer& reached);

}  // namespace holdfast::command
