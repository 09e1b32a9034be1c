// What to do about an error, where that can be said.
#pragma once

#include <string>

#include "holdfast/error.h"

namespace holdfast::command {

// Where the command wanted to go.
struct Place {
  std::string server;
  bool of_variable = false;  // HOLDFAST_SERVER says so, nobody typed it
  bool connected = false;    // it was there, so the error is of a call
};

// Empty if there is nothing to say.
std::string hint_for(const Error& error, const Place& place);

}  // namespace holdfast::command
