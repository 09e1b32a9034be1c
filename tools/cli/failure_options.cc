#include "tools/cli/failure_options.h"

#include <fmt/format.h>

#include "engine/base/helpers/bounded_failure.h"
#include "tools/cli/texts/input.h"

namespace holdfast::command {
namespace {

Result<std::string> read_named(CommandSession& session, const std::string& path) {
  if (path == "-") return read_all(session.in(), "standard input");
  return read_file(path, "file '" + path + "'");
}

// Cuts the failure to its limits, as a Worker does, and warns. If the command failed because an error text is
// too long, the message would have no error at all.
Failure cut_to_limits(CommandSession& session, const Failure& failure) {
  Failure cut = bounded(failure);
  if (cut.category != failure.category) session.warn("--category was too long and is cut");
  if (cut.code != failure.code) session.warn("--code was too long and is cut");
  if (cut.causes.size() != failure.causes.size()) {
    session.warn(fmt::format("--caused-by: of {} the first {} and the root are kept", failure.causes.size(),
                             cut.causes.size() - 2));
  } else if (cut.causes != failure.causes) {
    session.warn("--caused-by: one was too long and is cut");
  }
  return cut;
}

}  // namespace

void add_failure(CLI::App& verb, FailureArguments& arguments) {
  Failure& failure = arguments.failure;
  verb.add_option("--category", failure.category, "A class of failures: validation, timeout");
  verb.add_option("--reason", failure.reason, "What went wrong, for a person");
  verb.add_option("--code", failure.code, "Your own error code");
  auto* trace = verb.add_option("--stack-trace", failure.stack_trace,
                                "One frame a line; the innermost ones are kept, whichever end they are at");
  verb.add_option("--stack-trace-file", arguments.stack_trace_file,
                  "Read the stack trace from this file; - for standard input")
      ->check(check_not_empty)
      ->excludes(trace);
  verb.add_option("--caused-by", arguments.causes,
                  "A nested error: its code, which may be '', and its message; repeat it, the root last. "
                  "Longer ones are cut")
      ->type_name("CODE MESSAGE")
      ->allow_extra_args(false);
  auto* output =
      verb.add_option("--partial-output", failure.partial_output, "What was done before it failed");
  verb.add_option("--partial-output-file", arguments.partial_output_file,
                  "Read the partial output from this file, byte for byte; - for standard input")
      ->check(check_not_empty)
      ->excludes(output);
}

Result<Failure> read_failure(CommandSession& session, const FailureArguments& arguments) {
  Failure failure = arguments.failure;
  for (const auto& [code, message] : arguments.causes) failure.causes.push_back({code, message});
  if (!arguments.stack_trace_file.empty()) {
    auto text = read_named(session, arguments.stack_trace_file);
    if (!text) return tl::unexpected(text.error());
    failure.stack_trace = *std::move(text);
  }
  if (!arguments.partial_output_file.empty()) {
    auto bytes = read_named(session, arguments.partial_output_file);
    if (!bytes) return tl::unexpected(bytes.error());
    failure.partial_output = *std::move(bytes);
  }
  return cut_to_limits(session, failure);
}

}  // namespace holdfast::command
