#include "command.h"

#include <algorithm>
#include <ostream>

#include "holdfast_version.h"
#include "text.h"
#include "verbs.h"

namespace holdfast::command {
namespace {

void declare(CLI::App& root, Session& session) {
  root.name("holdfast");
  root.description("Send, receive and settle messages, look at dead letters and bring them back.");
  root.footer(
      "Examples:\n"
      "  holdfast queue create orders --max-deliveries 5 --dead-letter-queue orders-dlq\n"
      "  holdfast send orders '42 widgets'\n"
      "  holdfast receive orders --ack\n"
      "  holdfast dlq list orders-dlq\n"
      "  holdfast redrive orders-dlq --category timeout\n"
      "'holdfast VERB --help' says more about each verb.");
  root.set_version_flag("--version", std::string("holdfast ") + kVersion);
  root.require_subcommand(1);
  add_shared_options(root, session);
  add_queue_verbs(root, session);
  add_send(root, session);
  add_receive(root, session);
  add_peek(root, session);
  add_trace(root, session);
  add_settle_verbs(root, session);
  add_dlq_verbs(root, session);
  add_simulate(root, session);
  add_operations_verbs(root, session);
}

// The innermost verb that was recognized.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.back());
}

// "Did you mean ...", or where to read more.
std::string advice(const CLI::App& root) {
  const CLI::App& app = innermost(root);
  std::string path;
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) path = at->get_name() + ' ' + path;

  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> known(verbs.size());
  std::ranges::transform(verbs, known.begin(), [](const CLI::App* verb) { return verb->get_name(); });
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  for (const std::string& typed : app.remaining()) {
    const auto meant = nearest(typed.substr(0, typed.find('=')), known);
    if (!meant.empty()) return "did you mean '" + path + std::string(meant) + "'?";
  }
  return "see '" + path + "--help'";
}

std::string explain(const CLI::ParseError& error, const CLI::App& root) {
  const CLI::App& app = innermost(root);
  const bool wants_verb = !app.get_subcommands([](const CLI::App*) { return true; }).empty();
  const auto rest = app.remaining();
  if (!wants_verb || (!rest.empty() && rest.front().starts_with('-'))) return error.what();
  return rest.empty() ? "a verb is needed" : "no verb '" + rest.front() + "'";
}

void perform(Session& session) {
  if (!session.options.data.empty() && !session.options.server.empty()) {
    session.report_usage("--server and --data exclude each other", "give one of them");
    return;
  }
  if (auto done = session.action(session); !done) session.report(done.error());
}

// What is written to a full disk or a closed pipe must not look as if it had been.
void check_output(Session& session) {
  if (session.out().flush() || session.exit_status() != 0) return;
  session.report({ErrorCode::kStorageFailed, "the output could not be written"});
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out, std::ostream& err) {
  Session session(in, out, err);
  CLI::App root;
  declare(root, session);
  try {
    root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {  // --help, --version
    root.exit(success, out, err);
    check_output(session);
    return session.exit_status();
  } catch (const CLI::ParseError& error) {
    // The parser may have stopped before it came to --json.
    session.options.json = std::ranges::find(arguments, "--json") != arguments.end();
    session.report_usage(explain(error, root), advice(root));
    return session.exit_status();
  }
  perform(session);
  check_output(session);
  return session.exit_status();
}

}  // namespace holdfast::command
