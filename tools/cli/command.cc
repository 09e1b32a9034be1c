#include "tools/cli/command.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "tools/cli/completion.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/help.h"
#include "tools/cli/holdfast_version.h"
#include "tools/cli/texts/natural_words.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs.h"

namespace holdfast::command {
namespace {

void declare(CLI::App& root, CommandSession& session) {
  root.name("holdfast");
  root.description("Send, receive and settle messages, look at dead letters and bring them back.");
  root.footer(
      "Examples:\n"
      "  holdfast queue create orders --dead-letter-queue orders-dlq --create-missing\n"
      "  holdfast send orders '42 widgets'\n"
      "  holdfast receive orders --ack\n"
      "  holdfast dlq list orders-dlq\n"
      "  holdfast redrive orders-dlq --category timeout\n"
      "\n"
      "'holdfast help VERB' says more about each verb, 'holdfast help connection' how to reach a server.");
  root.set_version_flag("--version", std::string("holdfast ") + kVersion);
  root.require_subcommand(1);
  add_shared_options(root, session);
  add_queue_verbs(root, session);
  add_send(root, session);
  add_receive(root, session);
  add_peek(root, session);
  add_history(root, session);
  add_settle_verbs(root, session);
  add_dlq_verbs(root, session);
  add_simulate(root, session);
  add_operations_verbs(root, session);
  add_help(root, session);
  add_completion(root, session);
}

// Returns the innermost verb that was recognized.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.back());
}

bool wants_verb(const CLI::App& app) {
  return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
}

// Returns the verb at which the words cease to be a command: the first verb that does not know all its words,
// or else the innermost one. A verb may follow unknown words by chance, since a queue may be called like a
// verb.
const CLI::App& misunderstood(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() || !app.remaining().empty() ? app : misunderstood(*parsed.back());
}

// Returns "did you mean ...", or says where to read more.
std::string advice(const CLI::App& root) {
  const CLI::App& app = misunderstood(root);
  const std::string path = path_of(app);
  const std::string group = &app == &root ? "" : app.get_name();
  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> known(verbs.size());
  std::ranges::transform(verbs, known.begin(), [](const CLI::App* verb) { return verb->get_name(); });
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& typed : app.remaining()) {
    if (std::string lead = lead_on(group, typed); !lead.empty()) return lead;
    const auto meant = nearest(typed.substr(0, typed.find('=')), known);
    if (!meant.empty()) return "did you mean '" + path + ' ' + std::string(meant) + "'?";
  }
  return "see '" + path + " --help'";
}

std::string explain(const CLI::ParseError& error, const CLI::App& root) {
  const CLI::App& app = misunderstood(root);
  const auto rest = app.remaining();
  if (!wants_verb(app) || (!rest.empty() && rest.front().starts_with('-'))) {
    const std::string_view text = error.what();
    const std::string_view no_name = ": ";  // of an option of a hidden group, whose check names it
    return std::string(text.starts_with(no_name) ? text.substr(no_name.size()) : text);
  }
  return rest.empty() ? "a verb is needed" : "no verb '" + rest.front() + "'";
}

// Reports that the words are no command. If no verb was typed at all, it shows which verbs there are.
void report_misuse(CommandSession& session, const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = misunderstood(root);
  if (!session.json() && wants_verb(app) && app.remaining().empty()) {
    session.out() << root.help();  // help() shows the innermost verb that was typed
    session.set_exit_status(2);
    return;
  }
  session.report_usage(explain(error, root), advice(root));
}

// Adds the names of options to those that take a value, or to those that some verb takes without one.
void sort_option_names(const CLI::App& app, std::set<std::string>& valued, std::set<std::string>& flags) {
  for (const CLI::Option* option : app.get_options()) {
    auto& names = option->get_items_expected_min() > 0 ? valued : flags;
    names.insert(option->get_lnames().begin(), option->get_lnames().end());
  }
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    sort_option_names(*verb, valued, flags);
}

// Returns the arguments with each "--name=" of an option that takes a value as two of them, of which the
// second one is empty. CLI11 takes the argument that follows it for its value.
std::vector<std::string> with_empty_values(const CLI::App& root, const std::vector<std::string>& arguments) {
  constexpr std::string_view kEnd = "--";  // what follows it is no option
  std::set<std::string> valued;
  std::set<std::string> flags;
  sort_option_names(root, valued, flags);
  std::vector<std::string> all;
  bool are_options = true;
  for (const std::string& argument : arguments) {
    are_options = are_options && argument != kEnd;
    const bool may_be_empty = are_options && argument.starts_with(kEnd) &&
                              argument.size() > kEnd.size() + 1 && argument.find('=') == argument.size() - 1;
    const std::string name =
        may_be_empty ? argument.substr(kEnd.size(), argument.size() - kEnd.size() - 1) : std::string();
    const bool is_empty = valued.contains(name) && !flags.contains(name);
    all.push_back(is_empty ? std::string(kEnd) + name : argument);
    if (is_empty) all.emplace_back();
  }
  return all;
}

// Returns the names of queues that were typed.
std::vector<std::string> typed_queues(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::Option* option : innermost(root).get_options()) {
    if (!takes_queue(*option)) continue;
    const auto typed = option->results();
    names.insert(names.end(), typed.begin(), typed.end());
  }
  return names;
}

void add_option_names(const CLI::App& app, std::set<std::string>& names) {
  for (const CLI::Option* option : app.get_options())
    names.insert(option->get_lnames().begin(), option->get_lnames().end());
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    add_option_names(*verb, names);
}

void perform(CommandSession& session) {
  if (!session.options.data.empty() && !session.options.server.empty()) {
    session.report_usage("--server and --data exclude each other", "give one of them");
    return;
  }
  if (auto done = session.action(session); !done) session.report(done.error());
}

// Warns a person who asks for dead letters of a queue that cannot have any.
void check_dead_letter_queue(CommandSession& session, const CLI::App& root) {
  const CLI::App& verb = innermost(root);
  const CLI::Option* queue = verb.get_option_no_throw("queue");
  if (!is_of_dead_letters(verb) || queue == nullptr || queue->empty() || !session.is_connected()) return;
  if (auto broker = session.broker())
    warn_unless_dead_letter_queue(session, **broker, queue->results().front());
}

// Reports an error if the output goes to a full disk or a closed pipe, so that lost output does not look like
// success.
void check_output(CommandSession& session) {
  if (session.out().flush() || session.exit_status() != 0) return;
  session.report({ErrorCode::kStorageFailed, "the output could not be written"});
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
  CommandSession session(in, out, err);
  CLI::App root;
  declare(root, session);
  if (!arguments.empty() && arguments.front() == kCompleteWord) {
    complete(root, session, std::span(arguments).subspan(1));
    return session.exit_status();
  }
  try {
    auto words = with_empty_values(root, arguments);
    std::ranges::reverse(words);  // as CLI11 takes them
    root.parse(std::move(words));
  } catch (const CLI::Success& success) {  // --help, --version
    root.exit(success, out, err);
    check_output(session);
    return session.exit_status();
  } catch (const CLI::ParseError& error) {
    // The parser may have stopped before it came to --json.
    session.options.json = std::ranges::find(arguments, "--json") != arguments.end();
    report_misuse(session, root, error);
    check_output(session);
    return session.exit_status();
  }
  session.set_typed_queues(typed_queues(root));
  std::set<std::string> options;
  add_option_names(root, options);
  session.set_options(std::move(options));
  perform(session);
  check_dead_letter_queue(session, root);
  check_output(session);
  return session.exit_status();
}

}  // namespace holdfast::command
