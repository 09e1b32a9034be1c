// Declares verbs. A verb is a subcommand with the shared options, examples in its help, and an action.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command_session.h"

namespace holdfast::command {

// Declares a verb or a group of verbs. The help of the verb ends with `examples`.
CLI::App& add_verb(CLI::App& parent, CommandSession& session, const std::string& name,
                   const std::string& description, const std::vector<std::string>& examples);

// Declares a verb that needs no server, and no directory but those that its arguments name.
CLI::App& add_local_verb(CLI::App& parent, CommandSession& session, const std::string& name,
                         const std::string& description, const std::vector<std::string>& examples);

// Add the options of the connection, which help shows on a page of their own, and those of the output.
void add_shared_options(CLI::App& verb, CommandSession& session);
void add_connection_options(CLI::App& verb, CommandSession& session, const std::string& group);

// kQueueType is the type of options that name an existing queue, and of all arguments called "queue".
inline constexpr const char* kQueueType = "QUEUE";
bool takes_queue(const CLI::Option& option);
// Returns whether the queue that the verb is about has dead letters: the verb is of `dlq`, or is `redrive`.
bool is_of_dead_letters(const CLI::App& verb);

// Sets the action that runs if the verb was typed. Nothing runs before all arguments are parsed.
void on_run(CLI::App& verb, CommandSession& session, std::function<Result<void>(CommandSession&)> action);

// Add options with a type of Holdfast's. A value that does not parse is wrong usage.
void add_duration(CLI::App& verb, const std::string& name, Duration& target, const std::string& description);
void add_duration(CLI::App& verb, const std::string& name, std::optional<Duration>& target,
                  const std::string& description);
// Adds the option --every, which says how long a verb pauses between two looks at the server. The smallest
// value is 10 ms: without a pause the verb would keep the server busy.
void add_every(CLI::App& verb, Duration& target);
// Adds an option with a time, which is given as "2026-03-01T09:30:00Z".
void add_time(CLI::App& verb, const std::string& name, std::optional<Timestamp>& target,
              const std::string& description);
// The checks are for CLI::Option::check. Every option that is a whole number has the first or the second:
// CLI11 itself would read -1, and each number that is too large, as 2^64 - 1, and 010 as 8.
std::string check_number(const std::string& text);
std::string check_positive(const std::string& text);  // accepts numbers above 0
// Refuses an empty text. An unset variable in a script must not mean that the option is absent.
std::string check_not_empty(const std::string& text);
// Returns the same check for an option of a hidden group, whose name CLI11 leaves out of its errors.
std::function<std::string(const std::string&)> check_hidden_not_empty(const std::string& name);
void add_durability(CLI::App& verb, std::optional<Durability>& target);
void add_request_id(CLI::App& verb, std::string& target);
void add_retry(CLI::App& verb, const std::string& name, std::optional<RetryPolicy>& target,
               const std::string& description);
void add_tags(CLI::App& verb, const std::string& name, std::optional<Tags>& target,
              const std::string& description);
void add_attributes(CLI::App& verb, Attributes& target);
void add_receipts(CLI::App& verb, std::vector<Receipt>& target);

}  // namespace holdfast::command
