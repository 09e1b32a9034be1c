// `holdfast help` shows the page of a verb, or the options that every verb takes to reach a server. To a word
// that is no verb it answers with the verb that may be meant.
#include "tools/cli/help.h"

#include <memory>

#include "tools/cli/texts/natural_words.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

constexpr const char* kConnectionPage = "connection";

// Prints the options that every verb takes and that no other page shows.
void print_connection_page(CommandSession& session) {
  CLI::App page(
      "How the command reaches a server, or a data directory: options of every verb that needs one.",
      "holdfast VERB");
  page.set_help_flag();
  add_connection_options(page, session, "Options");
  page.footer(
      "The options may stand before or after the verb. An option on the command line overrides its\n"
      "variable. Anyone who can read the connection can read bodies and reasons, unless it uses TLS or\n"
      "a Unix socket.\n"
      "\n"
      "Environment:\n"
      "  HOLDFAST_SERVER              the server's address\n"
      "  HOLDFAST_TOKEN               who you are, to a server with access control: see holdfast-token(1)\n"
      "  HOLDFAST_SERVER_CA           who signs the certificate of a tls:// server\n"
      "  HOLDFAST_CLIENT_CERTIFICATE  your certificate, for a tls:// server that asks for one\n"
      "  HOLDFAST_CLIENT_KEY          its private key\n"
      "\n"
      "Examples:\n"
      "  holdfast queue list --server queues.example:7700\n"
      "  holdfast queue list --server tls://queues.example --server-ca ca.pem\n"
      "  holdfast queue list --server unix:/run/holdfast/socket\n"
      "  holdfast queue list --data ./data\n"
      "  export HOLDFAST_SERVER=queues.example HOLDFAST_TOKEN=$(cat token)");
  session.out() << page.help();
}

void help(CommandSession& session, CLI::App& root, const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{kConnectionPage}) {
    print_connection_page(session);
    return;
  }
  if (const CLI::App* verb = find_verb(root, words); verb != nullptr) {
    // The verb's own help() would show the help of the verb that runs.
    session.out() << verb->get_formatter()->make_help(verb, path_of(*verb), CLI::AppFormatMode::Normal);
    return;
  }
  const std::string group = words.size() > 1 ? words.front() : "";
  std::vector<std::string> known{kConnectionPage};
  CLI::App* parent = group.empty() ? &root : find_verb(root, {group});
  for (const CLI::App* verb : visible_verbs(parent == nullptr ? root : *parent))
    known.push_back(verb->get_name());
  std::string advice = lead_on(group, words.back());
  if (const auto meant = nearest(words.back(), known); advice.empty() && !meant.empty())
    advice = "did you mean 'holdfast help " + (group.empty() ? "" : group + ' ') + std::string(meant) + "'?";
  session.report_usage("no help on '" + CLI::detail::join(words, " ") + "'",
                       advice.empty() ? "'holdfast help' lists the verbs" : advice);
}

}  // namespace

CLI::App* find_verb(CLI::App& root, const std::vector<std::string>& words) {
  CLI::App* at = &root;
  for (const std::string& word : words) {
    const auto named = at->get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; });
    if (named.empty()) return nullptr;
    at = named.front();
  }
  return at;
}

std::string path_of(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return parent == nullptr ? app.get_name() : path_of(*parent) + ' ' + app.get_name();
}

std::vector<CLI::App*> visible_verbs(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

void add_help(CLI::App& root, CommandSession& session) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& verb = add_verb(root, session, "help", "Show the help of a verb, or of how to reach a server",
                            {"holdfast help", "holdfast help queue create", "holdfast help connection"});
  verb.add_option("verb", *words, "The verb, or 'connection' for the options that reach a server");
  on_run(verb, session, [&root, words](CommandSession& s) -> Result<void> {
    help(s, root, *words);
    return {};
  });
}

}  // namespace holdfast::command
