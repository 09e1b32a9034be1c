#include "tools/cli/verb.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "engine/base/options/queue_option_table.h"
#include "tools/cli/texts/choices.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/retry.h"

namespace holdfast::command {
namespace {

constexpr const char* kOutputGroup = "Output";
constexpr const char* kHiddenGroup = "";  // CLI11 leaves this group out of the help

Duration duration_argument(const std::string& name, const std::string& text) {
  auto duration = parse_duration(text);
  if (!duration) throw CLI::ValidationError(name, duration.error().message);
  return *duration;
}

CLI::App& add_with_examples(CLI::App& parent, const std::string& name, const std::string& description,
                            const std::vector<std::string>& examples) {
  CLI::App& verb = *parent.add_subcommand(name, description);
  std::string footer = "Examples:";
  for (const std::string& example : examples) footer += "\n  " + example;
  verb.footer(examples.empty() ? std::string() : footer);  // otherwise it would have that of its parent
  return verb;
}

void add_output_options(CLI::App& verb, CommandSession& session) {
  verb.add_flag("--json", session.options.json, "JSON for programs: one object a line, errors too")
      ->group(kOutputGroup);
  add_choice<ColorChoice>(
      verb, "--color", [&session](ColorChoice color) { session.options.color = color; },
      "Colours: auto, on a terminal unless NO_COLOR is set; always; or never [auto]")
      ->group(kOutputGroup);
}

}  // namespace

CLI::App& add_verb(CLI::App& parent, CommandSession& session, const std::string& name,
                   const std::string& description, const std::vector<std::string>& examples) {
  CLI::App& verb = add_with_examples(parent, name, description, examples);
  const std::string footer = verb.get_footer();
  verb.footer(footer + (footer.empty() ? "" : "\n\n") +
              "'holdfast help connection' says how to reach a server.");
  add_shared_options(verb, session);
  return verb;
}

CLI::App& add_local_verb(CLI::App& parent, CommandSession& session, const std::string& name,
                         const std::string& description, const std::vector<std::string>& examples) {
  CLI::App& verb = add_with_examples(parent, name, description, examples);
  add_output_options(verb, session);
  return verb;
}

void add_connection_options(CLI::App& verb, CommandSession& session, const std::string& group) {
  verb.add_option(
          "--server", session.options.server,
          std::string("Server to talk to: host:port, tls://host:port or unix:PATH [HOLDFAST_SERVER, else ") +
              kDefaultServer + "]")
      ->type_name("ADDRESS")
      ->check(check_hidden_not_empty("--server"))
      ->group(group);
  verb.add_option(
          "--server-ca", session.options.server_ca,
          "For tls://: who signs the server's certificate [HOLDFAST_SERVER_CA, else those that the system "
          "trusts]")
      ->type_name("FILE")
      ->check(check_hidden_not_empty("--server-ca"))
      ->group(group);
  verb.add_option("--client-certificate", session.options.client_certificate,
                  "For tls://: your certificate, if the server asks for one [HOLDFAST_CLIENT_CERTIFICATE]")
      ->type_name("FILE")
      ->check(check_hidden_not_empty("--client-certificate"))
      ->group(group);
  verb.add_option("--client-key", session.options.client_key,
                  "For tls://: the private key of --client-certificate [HOLDFAST_CLIENT_KEY]")
      ->type_name("FILE")
      ->check(check_hidden_not_empty("--client-key"))
      ->group(group);
  verb.add_option("--data", session.options.data, "Work on this data directory, without a server")
      ->type_name("DIR")
      ->check(check_hidden_not_empty("--data"))
      ->group(group);
}

void add_shared_options(CLI::App& verb, CommandSession& session) {
  add_connection_options(verb, session, kHiddenGroup);
  add_output_options(verb, session);
}

bool takes_queue(const CLI::Option& option) {
  return option.get_name() == "queue" || option.get_type_name() == kQueueType;
}

bool is_of_dead_letters(const CLI::App& verb) {
  const CLI::App* group = verb.get_parent();
  return verb.get_name() == "redrive" || (group != nullptr && group->get_name() == "dlq");
}

void on_run(CLI::App& verb, CommandSession& session, std::function<Result<void>(CommandSession&)> action) {
  verb.callback([&session, action = std::move(action)] { session.action = action; });
}

void add_duration(CLI::App& verb, const std::string& name, Duration& target, const std::string& description) {
  verb.add_option_function<std::string>(
          name, [&target, name](const std::string& text) { target = duration_argument(name, text); },
          description)
      ->type_name("DURATION");
}

void add_duration(CLI::App& verb, const std::string& name, std::optional<Duration>& target,
                  const std::string& description) {
  verb.add_option_function<std::string>(
          name, [&target, name](const std::string& text) { target = duration_argument(name, text); },
          description)
      ->type_name("DURATION");
}

void add_every(CLI::App& verb, Duration& target) {
  verb.add_option_function<std::string>(
          "--every",
          [&target](const std::string& text) {
            const Duration every = duration_argument("--every", text);
            if (every < std::chrono::milliseconds(10))
              throw CLI::ValidationError("--every", "must be at least 10ms");
            target = every;
          },
          "The time from one look to the next, at least 10ms [2s]")
      ->type_name("DURATION");
}

void add_time(CLI::App& verb, const std::string& name, std::optional<Timestamp>& target,
              const std::string& description) {
  verb.add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            const auto time = parse_time(text);
            if (!time) throw CLI::ValidationError(name, time.error().message);
            target = *time;
          },
          description)
      ->type_name("TIME");
}

std::string check_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  const bool has_zeros = text.size() > 1 && text.starts_with('0');
  return is_whole && !has_zeros ? "" : "must be a whole number below 2^64, without zeros before it";
}

std::string check_positive(const std::string& text) {
  return check_number(text).empty() && text != "0" ? "" : "must be a whole number of at least 1";
}

std::string check_not_empty(const std::string& text) { return text.empty() ? "is empty" : ""; }

std::function<std::string(const std::string&)> check_hidden_not_empty(const std::string& name) {
  return [name](const std::string& text) { return text.empty() ? name + ": is empty" : ""; };
}

void add_durability(CLI::App& verb, std::optional<Durability>& target) {
  add_choice<Durability>(
      verb, "--durability", [&target](Durability durability) { target = durability; },
      "fsync: survives a power loss; buffered: survives the process [the queue's]");
}

void add_request_id(CLI::App& verb, std::string& target) {
  verb.add_option("--request-id", target,
                  "Names this call: repeated with the same arguments within 5 minutes it has its effect once")
      ->check(check_not_empty);
}

void add_retry(CLI::App& verb, const std::string& name, std::optional<RetryPolicy>& target,
               const std::string& description) {
  verb.add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            auto retry = parse_retry(text);
            if (!retry) throw CLI::ValidationError(name, retry.error().message);
            target = std::move(*retry);
          },
          description)
      ->type_name("POLICY");
}

void add_tags(CLI::App& verb, const std::string& name, std::optional<Tags>& target,
              const std::string& description) {
  verb.add_option_function<std::vector<std::string>>(
          name,
          [&target, name](const std::vector<std::string>& texts) {
            Tags tags;
            for (const std::string& text : texts) {
              const auto equals = text.find('=');
              if (equals == 0 || equals == std::string::npos) {
                throw CLI::ValidationError(name, "'" + text + "' is not NAME=VALUE");
              }
              const bool is_new = tags.emplace(text.substr(0, equals), text.substr(equals + 1)).second;
              if (!is_new)
                throw CLI::ValidationError(name, "'" + text.substr(0, equals) + "' is given twice");
            }
            target = std::move(tags);
          },
          description)
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_attributes(CLI::App& verb, Attributes& target) {
  verb.add_option_function<std::vector<std::string>>(
          "-a,--attribute",
          [&target](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto equals = text.find('=');
              if (equals == 0 || equals == std::string::npos) {
                throw CLI::ValidationError("--attribute", "'" + text + "' is not NAME=VALUE");
              }
              target.push_back({.name = text.substr(0, equals), .value = text.substr(equals + 1)});
            }
          },
          "An attribute beside the body; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_receipts(CLI::App& verb, std::vector<Receipt>& target) {
  verb.add_option_function<std::vector<std::string>>(
          "receipt",
          [&target](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              auto receipt = Receipt::parse(text);
              if (!receipt) throw CLI::ValidationError("receipt", receipt.error().message);
              target.push_back(*receipt);
            }
          },
          "Receipts, as receive printed them")
      ->type_name("RECEIPT")
      ->required();
}

}  // namespace holdfast::command
