// FailureArguments are the options of release, reject and extend that say why a delivery failed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "holdfast/dead_letter.h"
#include "tools/cli/verb.h"

namespace holdfast::command {

struct FailureArguments {
  Failure failure;  // without what comes from files
  std::vector<std::pair<std::string, std::string>> causes;
  std::string stack_trace_file;
  std::string partial_output_file;
};

void add_failure(CLI::App& verb, FailureArguments& arguments);
// Reads the files. kInvalidArgument if one cannot be read.
Result<Failure> read_failure(CommandSession& session, const FailureArguments& arguments);

}  // namespace holdfast::command
