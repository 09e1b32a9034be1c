#include "server/config/command_line.h"

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>

#include "server/logging/console.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

// Returns "About the option [its default]".
std::string described(const Option& option) {
  static const Config defaults;
  std::string text(option.help);
  if (option.shape == Shape::kSwitch) return text;
  std::string values;
  for (const std::string& value : option.get(defaults)) values += (values.empty() ? "" : ", ") + value;
  return values.empty() ? text : text + " [" + values + "]";
}

using Typed = std::map<const Option*, Values>;

void declare(CLI::App& app, const Option& option, Typed& typed) {
  const std::string flag = "--" + std::string(option.name);
  CLI::Option* declared = nullptr;
  if (option.shape == Shape::kSwitch) {
    declared = app.add_flag_callback(
        flag, [&] { typed[&option] = {"true"}; }, described(option));
  } else if (option.shape == Shape::kList) {
    declared = app.add_option_function<Values>(
                      flag, [&](const Values& values) { typed[&option] = values; }, described(option))
                   ->allow_extra_args(false);
  } else {
    declared = app.add_option_function<std::string>(
        flag, [&](const std::string& value) { typed[&option] = {value}; }, described(option));
  }
  declared->type_name(std::string(option.value_name))->group(std::string(option.group));
}

void declare(CLI::App& app, CommandLine& line, Typed& typed) {
  app.name("holdfastd");
  app.description("Serves the message queues of a data directory.");
  app.set_version_flag("--version", std::string("holdfastd ") + kVersion);
  app.add_option_function<std::string>(
         "--config", [&](const std::string& file) { line.file = file; },
         "TOML file whose keys are option names without the leading dashes")
      ->type_name("FILE");
  app.add_flag("--check-config", line.check,
               "Print every option with its value and where it comes from, then exit");
  for (const Option& option : option_table()) declare(app, option, typed);
  app.footer(
      "Every option may also be a variable (--max-calls: HOLDFAST_MAX_CALLS; several values separated by "
      "commas)\n"
      "or a key of the file (max-calls = 100). The command line overrides the environment, which overrides\n"
      "the file. SIGHUP reads the file again.\n"
      "Logs to standard error; 'listening on ADDR' says that clients can connect.\n"
      "SIGTERM and SIGINT stop it cleanly; a second one stops it at once.\n\n"
      "Examples:\n"
      "  holdfastd --data ./data\n"
      "  holdfastd --data ./data --listen 127.0.0.1:7700 --listen unix:/run/holdfast/socket\n"
      "  holdfastd --config /etc/holdfast/holdfastd.toml --check-config\n\n"
      "Exit status: 0 after a clean stop; 2 bad usage, configuration, data directory or pid-file; 12 storage "
      "failed;\n"
      "13 corruption; 14 the data directory or the pid-file is in use; 15 the data was written by a newer "
      "version;\n"
      "17 an address is taken, or memory, threads or file descriptors have run out; 20 an address is "
      "refused, or a file with secrets is unsafe or unreadable.");
}

}  // namespace

std::variant<CommandLine, ExitStatus> parse_command_line(const std::vector<std::string>& arguments,
                                                         std::ostream& out, std::ostream& err) {
  CommandLine line;
  Typed typed;
  CLI::App app;
  declare(app, line, typed);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {
    return ExitStatus{app.exit(success, out, err)};
  } catch (const CLI::ParseError& error) {
    err << "holdfastd: " << escaped(error.what()) << "; see 'holdfastd --help'\n";
    return ExitStatus{error_info(ErrorCode::kInvalidArgument).exit_status};
  }
  for (auto& [option, values] : typed) {
    line.settings.push_back({option, std::move(values), "--" + std::string(option->name)});
  }
  return line;
}

}  // namespace holdfast::server
