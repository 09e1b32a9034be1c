#include "server/access/token_command.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "server/access/tokens.h"
#include "server/logging/console.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

struct Arguments {
  std::string file;
  std::string name;
  std::vector<std::string> words;
  bool signs = false;
};

Result<std::vector<TokenEntry>> entries_of(const std::string& file) {
  std::error_code failure;  // set as well if the file may not be looked for
  if (!std::filesystem::exists(file, failure) && !failure) return std::vector<TokenEntry>();
  return read_tokens(file);
}

Result<void> create(const Arguments& arguments, std::ostream& out) {
  const bool blank = arguments.name.find_first_of(" \t\r\n") != std::string::npos;
  if (arguments.name.empty() || blank || arguments.name.starts_with('#')) {
    return fail(ErrorCode::kInvalidArgument,
                "name: '" + arguments.name + "' is empty, has blanks or begins with '#'");
  }
  if (arguments.signs && arguments.name.find(',') != std::string::npos) {
    return fail(ErrorCode::kInvalidArgument,
                "name: '" + arguments.name + "' has a comma, which would end it in a signed request");
  }
  const auto hold = TokenFileHold::take(arguments.file);
  if (!hold) return tl::unexpected(hold.error());
  auto entries = entries_of(arguments.file);
  if (!entries) return tl::unexpected(entries.error());
  if (std::ranges::any_of(*entries,
                          [&](const TokenEntry& entry) { return entry.rights.name == arguments.name; })) {
    return fail(ErrorCode::kInvalidArgument, "name: there is a token '" + arguments.name + "' already");
  }
  TokenEntry entry{.rights = {.name = arguments.name}};
  for (const std::string& word : arguments.words) {
    if (word.find_first_of(" \t\r\n") != std::string::npos)
      return fail(ErrorCode::kInvalidArgument, "'" + word + "' has blanks");
    if (auto ok = add_word(entry.rights, word); !ok) return ok;
  }
  if (auto ok = check_token(entry.rights); !ok) return ok;
  const auto token = make_token();
  if (!token) return tl::unexpected(token.error());
  entry.hash = hash_of(*token);
  if (arguments.signs) entry.secret = *token;
  entries->push_back(std::move(entry));
  // The token is shown before it is stored: nobody could use a stored token that was never shown.
  if (!(out << *token << std::endl)) return fail(ErrorCode::kStorageFailed, "the token could not be written");
  return write_tokens(arguments.file, *entries);
}

Result<void> list(const Arguments& arguments, std::ostream& out) {
  const auto entries = read_tokens(arguments.file);
  if (!entries) return tl::unexpected(entries.error());
  for (const TokenEntry& entry : *entries) {
    out << escaped(entry.rights.name + ' ' + words(entry.rights)) << '\n';
  }
  return {};
}

Result<void> revoke(const Arguments& arguments, std::ostream& /*out*/) {
  const auto hold = TokenFileHold::take(arguments.file);
  if (!hold) return tl::unexpected(hold.error());
  auto entries = read_tokens(arguments.file);
  if (!entries) return tl::unexpected(entries.error());
  const auto removed =
      std::erase_if(*entries, [&](const TokenEntry& entry) { return entry.rights.name == arguments.name; });
  if (removed == 0)
    return fail(ErrorCode::kInvalidArgument, "name: there is no token '" + arguments.name + "'");
  return write_tokens(arguments.file, *entries);
}

using Action = Result<void> (*)(const Arguments&, std::ostream&);

CLI::App& declare(CLI::App& root, Arguments& arguments, Action& chosen, const std::string& name,
                  const std::string& about, Action action) {
  CLI::App& verb = *root.add_subcommand(name, about);
  verb.add_option("file", arguments.file, "The file of tokens, as holdfastd --tokens has it")->required();
  verb.callback([&chosen, action] { chosen = action; });
  return verb;
}

}  // namespace

int run_token_command(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Arguments typed;
  Action action = nullptr;
  CLI::App root("Makes, lists and revokes the tokens by which holdfastd identifies clients.",
                "holdfast-token");
  root.require_subcommand(1);
  root.set_version_flag("--version", std::string("holdfast-token ") + kVersion);
  root.footer(
      "Rights: produce (send), consume (receive and settle), operate (look, move, redrive, pause), "
      "administer (create,\n"
      "change, delete, purge; on all queues also backups and checks), all.\n"
      "hide=body and hide=attribute:NAME hide bodies and values of attributes from the holder of the token,\n"
      "on all queues. They go together with every right except consume.\n"
      "holdfastd reads the changed file on SIGHUP.\n\n"
      "Examples:\n"
      "  holdfast-token create /etc/holdfast/tokens orders-app produce:orders consume,operate:orders-*\n"
      "  holdfast-token create /etc/holdfast/tokens operator all:*\n"
      "  holdfast-token create /etc/holdfast/tokens night-shift operate:* hide=body hide=attribute:card\n"
      "  holdfast-token revoke /etc/holdfast/tokens orders-app");
  auto& creating =
      declare(root, typed, action, "create", "Make a token and print it: it is shown only now", create);
  creating.add_option("name", typed.name, "Who will use it, for the log")->required();
  creating
      .add_option("grants", typed.words,
                  "What it allows: RIGHTS:QUEUE, where QUEUE may end in '*'; and what it hides: hide=body, "
                  "hide=attribute:NAME")
      ->required();
  creating.add_flag(
      "--sign", typed.signs,
      "Let it sign requests of Amazon SQS's clients: its name is the access key id, the token the "
      "secret access key. The file then has the token itself, so that nobody else may read it");
  declare(root, typed, action, "list", "Print names and grants", list);
  declare(root, typed, action, "revoke", "Take a token back", revoke)
      .add_option("name", typed.name, "Whose")
      ->required();
  try {
    root.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {
    return finish(root.exit(success, out, err), "holdfast-token", out, err);
  } catch (const CLI::ParseError& error) {
    err << "holdfast-token: " << escaped(error.what()) << "; see 'holdfast-token --help'\n";
    return 2;
  }
  if (auto done = action(typed, out); !done) {
    err << "holdfast-token: " << escaped(done.error().message) << '\n';
    return error_info(done.error().code).exit_status;
  }
  return finish(0, "holdfast-token", out, err);
}

}  // namespace holdfast::server
