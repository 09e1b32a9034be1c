// ProgramRedrive is a redrive for which a program of the user decides about each dead letter.
#pragma once

#include <cstdint>
#include <string>

#include "holdfast/redrive.h"
#include "tools/cli/command_session.h"

namespace holdfast::command {

struct ProgramRedrive {
  std::string queue;
  // `options` say which dead letters are redriven and where to, without an edit. `redact` says what the
  // program is not shown and may not change.
  RedriveOptions options;
  std::uint64_t named = 0;  // see count_named
  std::string program;
  bool yes = false;
};

// Nothing is changed before the program has answered for all dead letters.
Result<void> redrive_with_program(CommandSession& session, Broker& broker, const ProgramRedrive& asked);

}  // namespace holdfast::command
