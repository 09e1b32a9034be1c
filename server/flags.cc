#include "server/flags.h"

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>

#include "transport/address.h"
#include "version.h"

namespace holdfast::server {
namespace {

void declare(CLI::App& app, Flags& flags) {
  static const std::map<std::string, spdlog::level::level_enum> kLevels = {{"debug", spdlog::level::debug},
                                                                           {"info", spdlog::level::info},
                                                                           {"warning", spdlog::level::warn},
                                                                           {"error", spdlog::level::err}};
  app.name("holdfastd");
  app.description("Serves the message queues of a data directory.");
  app.set_version_flag("--version", std::string("holdfastd ") + kVersion);
  app.add_option("--data", flags.data, "Data directory; created if it is missing")
      ->required()
      ->type_name("DIR");
  app.add_option("--listen", flags.server.listen,
                 "Where clients connect: host:port (port 0: any free one) or unix:/path. Repeatable")
      ->type_name("ADDR")
      ->allow_extra_args(false)
      ->check([](const std::string& text) {  // before a data directory is made for nothing
        auto address = transport::parse_address(text);
        return address ? std::string() : address.error().message;
      })
      ->capture_default_str();
  app.add_flag("--allow-insecure", flags.server.allow_insecure,
               "Listen on addresses that other machines reach, without encryption or access control");
  app.add_option("--max-connections", flags.server.max_connections, "Clients at a time; more are hung up on")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--max-calls", flags.server.max_calls,
                 "Calls in flight per connection; more are answered with 'overloaded'")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option(
         "--free-space-reserve", flags.free_space_reserve,
         "Sends are refused below this much free space on the device (acks are not); 0: never [256MiB]")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  app.add_option("--backups", flags.server.backups,
                 "Where clients may have backups made ('holdfast backup'); without it they may not")
      ->type_name("DIR");
  app.add_option_function<unsigned>(
         "--stop-timeout", [&flags](unsigned seconds) { flags.stop_timeout = std::chrono::seconds(seconds); },
         "How long SIGTERM lets calls in flight finish [10]")
      ->type_name("SECONDS");
  app.add_option("--log-level", flags.log_level, "debug, info, warning or error [info]")
      ->transform(CLI::CheckedTransformer(kLevels).description(""))
      ->type_name("LEVEL");
  app.footer(
      "Logs to standard error; 'listening on ADDR' says that clients can connect.\n"
      "SIGTERM and SIGINT stop it cleanly; a second one stops it at once.\n\n"
      "Examples:\n"
      "  holdfastd --data ./data\n"
      "  holdfastd --data ./data --listen 127.0.0.1:7700 --listen unix:/run/holdfast/socket\n"
      "  holdfastd --data ./data --listen 127.0.0.1:0 --log-level debug\n\n"
      "Exit status: 0 after a clean stop; 2 bad usage or data directory; 12 storage failed; 13 corruption;\n"
      "14 the data directory is in use; 15 it was written by a newer version; 17 an address is taken;\n"
      "20 an address is refused.");
}

}  // namespace

std::variant<Flags, ExitStatus> parse_flags(const std::vector<std::string>& arguments, std::ostream& out,
                                            std::ostream& err) {
  Flags flags;
  CLI::App app;
  declare(app, flags);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& success) {
    return ExitStatus{app.exit(success, out, err)};
  } catch (const CLI::ParseError& error) {
    err << "holdfastd: " << error.what() << "; see 'holdfastd --help'\n";
    return ExitStatus{error_info(ErrorCode::kInvalidArgument).exit_status};
  }
  return flags;
}

}  // namespace holdfast::server
