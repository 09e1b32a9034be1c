// How verbs are declared: a subcommand with the shared options, examples in its help, and an action.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command_session.h"

namespace holdfast::command {

// Declares a verb or a group of verbs. `examples` are printed below its help.
CLI::App& add_verb(CLI::App& parent, CommandSession& session, const std::string& name,
                   const std::string& description, const std::vector<std::string>& examples);

// Adds a verb that needs no server and no directory but those that its arguments name.
CLI::App& add_local_verb(CLI::App& parent, CommandSession& session, const std::string& name,
                         const std::string& description, const std::vector<std::string>& examples);

// Those of the connection, which help shows on a page of their own, and those of the output.
void add_shared_options(CLI::App& verb, CommandSession& session);
void add_connection_options(CLI::App& verb, CommandSession& session, const std::string& group);

// Options whose value names a queue that there is have this type; so do all arguments called "queue".
inline constexpr const char* kQueueType = "QUEUE";
bool takes_queue(const CLI::Option& option);

// What runs when the verb was typed; nothing runs before all arguments are parsed.
void on_run(CLI::App& verb, CommandSession& session, std::function<Result<void>(CommandSession&)> action);

// Options with a type of Holdfast's; a value that does not parse is wrong usage.
void add_duration(CLI::App& verb, const std::string& name, Duration& target, const std::string& description);
void add_duration(CLI::App& verb, const std::string& name, std::optional<Duration>& target,
                  const std::string& description);
// "2026-03-01T09:30:00Z"
void add_time(CLI::App& verb, const std::string& name, std::optional<Timestamp>& target,
              const std::string& description);
// For CLI::Option::check.
std::string check_positive(const std::string& text);
// An unset variable in a script must not mean that the option is not there.
std::string check_not_empty(const std::string& text);
void add_durability(CLI::App& verb, std::optional<Durability>& target);
void add_request_id(CLI::App& verb, std::string& target);
void add_retry(CLI::App& verb, const std::string& name, std::optional<RetryPolicy>& target,
               const std::string& description);
void add_tags(CLI::App& verb, const std::string& name, std::optional<Tags>& target,
              const std::string& description);
void add_attributes(CLI::App& verb, Attributes& target);
void add_receipts(CLI::App& verb, std::vector<Receipt>& target);

}  // namespace holdfast::command
