#include "tools/cli/option_flags.h"

#include <algorithm>

#include "engine/base/options/queue_option_table.h"
#include "tools/cli/texts/choices.h"

namespace holdfast::command {
namespace {

// Checks the number of a size, which may have a unit.
std::string check_number_of_size(const std::string& text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string number(text.begin(), std::find_if_not(text.rbegin(), text.rend(), is_letter).base());
  while (number.ends_with(' ')) number.pop_back();
  return check_number(number);
}

// Adds the flag of each option. There is an add() for each type of option; `option` has the flag's name and
// help.
class OptionFlags {
 public:
  OptionFlags(CLI::App& verb, AskedOptions& asked) : verb_(verb), asked_(asked) {}

  template <class T>
  void operator()(const QueueOption<T>& option) {
    add(option, option.place(asked_.changes));
  }

 private:
  static std::string help_of(const auto& option) { return std::string(option.help); }

  template <std::unsigned_integral T>
  void add(const QueueOption<T>& option, std::optional<T>& change) {
    auto* flag = verb_.add_option(option.flag(), change, help_of(option));
    if (option.notation == Notation::kBytes) {
      flag->transform(CLI::Validator(check_number_of_size, "") & CLI::AsSizeValue(false));
    } else {
      flag->check(check_number);
    }
  }

  void add(const QueueOption<bool>& option, std::optional<bool>& change) {
    if (option.notation == Notation::kSwitch) {
      verb_.add_flag_callback(
          option.flag(), [&change] { change = true; }, help_of(option));
    } else {
      verb_.add_option(option.flag(), change, help_of(option))->check(CLI::IsMember({"yes", "no"}));
    }
  }

  void add(const QueueOption<Duration>& option, std::optional<Duration>& change) {
    add_duration(verb_, option.flag(), change, help_of(option));
  }

  void add(const QueueOption<std::string>& option, std::optional<std::string>& change) {
    auto* flag = verb_.add_option(option.flag(), change, help_of(option));
    if (option.notation == Notation::kQueue) flag->type_name(kQueueType);
  }

  template <OptionEnum T>
  void add(const QueueOption<T>& option, std::optional<T>& change) {
    add_choice<T>(
        verb_, option.flag(), [&change](T value) { change = value; }, help_of(option));
  }

  void add(const QueueOption<Grouping>& /*option*/, std::optional<Grouping>& change) {
    auto* ordered = verb_.add_flag_callback(
        "--ordered", [&change] { change = Grouping::kOrdered; },
        "Hand out each message group in order, to one holder at a time");
    verb_
        .add_flag_callback(
            "--fair", [&change] { change = Grouping::kFair; },
            "Let message groups take turns, so that a large one does not keep the others waiting")
        ->excludes(ordered);
  }

  void add(const QueueOption<std::vector<std::string>>& option,
           std::optional<std::vector<std::string>>& change) {
    verb_
        .add_option_function<std::vector<std::string>>(
            option.flag(),
            [&change](const std::vector<std::string>& names) {
              const bool none = names == std::vector<std::string>{""};
              change = none ? std::vector<std::string>() : names;
            },
            help_of(option))
        ->delimiter(',')
        ->type_name("NAME,...");
  }

  void add(const QueueOption<std::vector<DeadLetterRoute>>& option,
           std::optional<std::vector<DeadLetterRoute>>& change) {
    const std::string flag = option.flag();
    verb_
        .add_option_function<std::vector<std::string>>(
            flag,
            [&change, flag](const std::vector<std::string>& texts) {
              auto& routes = change.emplace();
              for (const std::string& text : texts) {
                const auto equals = text.rfind('=');
                if (equals == std::string::npos) {
                  throw CLI::ValidationError(flag, "'" + text + "' is not CATEGORY=QUEUE");
                }
                routes.push_back({.category = text.substr(0, equals), .queue = text.substr(equals + 1)});
              }
            },
            help_of(option))
        ->type_name("CATEGORY=QUEUE")
        ->allow_extra_args(false);
    verb_
        .add_flag_callback(
            "--no-dead-letter-routes", [&change] { change.emplace(); },
            "All dead letters go to the dead letter queue")
        ->excludes(flag);
  }

  void add(const QueueOption<DeadLetterSources>& option, std::optional<DeadLetterSources>& change) {
    verb_
        .add_option_function<std::vector<std::string>>(
            option.flag(),
            [&change](const std::vector<std::string>& names) {
              using Allow = DeadLetterSources::Allow;
              change = {.allow = Allow::kListed, .queues = names};
              if (names == std::vector<std::string>{"all"}) change = {.allow = Allow::kAll};
              if (names == std::vector<std::string>{"none"}) change = {.allow = Allow::kNone};
            },
            help_of(option))
        ->delimiter(',')
        ->type_name("all|none|QUEUE,...");
  }

  void add(const QueueOption<RetryPolicy>& option, std::optional<RetryPolicy>& change) {
    add_retry(verb_, option.flag(), change, help_of(option));
  }

  void add(const QueueOption<Tags>& option, std::optional<Tags>& change) {
    add_tags(verb_, option.flag(), change, help_of(option));
  }

  void add(const QueueOption<AutoRedrive>& option, std::optional<AutoRedrive>& /*change*/) {
    add_policy(option, asked_.policies.auto_redrive);
  }
  void add(const QueueOption<AlertRules>& option, std::optional<AlertRules>& /*change*/) {
    add_policy(option, asked_.policies.alerts);
  }
  void add(const QueueOption<FloodBrake>& option, std::optional<FloodBrake>& /*change*/) {
    add_policy(option, asked_.policies.brake);
  }
  void add(const QueueOption<JournalOptions>& option, std::optional<JournalOptions>& /*change*/) {
    add_policy(option, asked_.policies.journal);
  }

  void add_policy(const auto& option, std::vector<std::string>& settings) {
    verb_.add_option(option.flag(), settings, help_of(option))
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false)
        ->group("Policies (each may be repeated)");
  }

  CLI::App& verb_;
  AskedOptions& asked_;
};

}  // namespace

void add_option_flags(CLI::App& verb, AskedOptions& asked) { for_each_option(OptionFlags(verb, asked)); }

}  // namespace holdfast::command
