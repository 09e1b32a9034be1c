// `holdfast completion` prints the script with which a shell completes its lines. That script has this file
// read the words that were typed so far, and print the verbs, options and values that can follow.
#include "tools/cli/completion.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "tools/cli/completion/completion_scripts.h"
#include "tools/cli/dlq_verbs.h"
#include "tools/cli/help.h"

namespace holdfast::command {
namespace {

constexpr Duration kTimeLimit = std::chrono::seconds(1);

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// TypedLine has the words that were typed before the word that is completed, and what they mean.
class TypedLine {
 public:
  TypedLine(CLI::App& root, CommandSession& session) : at_(&root), session_(session) {}

  void take(const std::string& word) {
    // bash splits "--option=value" into words of their own.
    if (pending_ != nullptr && word == "=") return;
    if (pending_ != nullptr) return keep(*std::exchange(pending_, nullptr), word);
    if (word.starts_with('-') && word != "-") return take_option(word);
    if (at_->get_name() == "help") at_help_.push_back(word);
    CLI::App* verb = positionals_ == 0 ? find_verb(*at_, {word}) : nullptr;
    if (verb == nullptr) {
      ++positionals_;
    } else {
      at_ = verb;
    }
  }

  CLI::App& verb() const { return *at_; }
  // Returns the option whose value comes next; null if there is none.
  const CLI::Option* pending() const { return pending_; }
  // Returns the argument that comes next; null if there is none.
  const CLI::Option* positional() const {
    std::vector<const CLI::Option*> all;
    for (const CLI::Option* option : std::as_const(*at_).get_options()) {
      if (option->get_positional()) all.push_back(option);
    }
    if (all.empty()) return nullptr;
    if (positionals_ < all.size()) return all[positionals_];
    return all.back()->get_items_expected_max() > 1 ? all.back() : nullptr;
  }
  // Returns the words after `help`.
  const std::vector<std::string>& helped() const { return at_help_; }

 private:
  void take_option(const std::string& word) {
    const auto equals = word.find('=');
    const CLI::Option* option = at_->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == std::string::npos) {
      pending_ = option;
    } else {
      keep(*option, word.substr(equals + 1));
    }
  }

  // Keeps the values of options that say where the queues are asked for.
  void keep(const CLI::Option& option, const std::string& value) {
    SharedOptions& options = session_.options;
    const std::array<std::pair<std::string_view, std::string*>, 5> of_connection = {
        {{"--server", &options.server},
         {"--server-ca", &options.server_ca},
         {"--client-certificate", &options.client_certificate},
         {"--client-key", &options.client_key},
         {"--data", &options.data}}};
    for (const auto& [name, target] : of_connection) {
      if (option.check_name(std::string(name))) *target = value;
    }
  }

  CLI::App* at_;
  CommandSession& session_;
  const CLI::Option* pending_ = nullptr;
  std::size_t positionals_ = 0;
  std::vector<std::string> at_help_;
};

class Candidates {
 public:
  Candidates(CommandSession& session, std::string typed) : session_(session), typed_(std::move(typed)) {}

  // Sets what stands before the value in the word, such as "--option=".
  void set_lead(std::string lead) { lead_ = std::move(lead); }

  void add(const std::string& word, const std::string& about = "") {
    if (!word.starts_with(typed_)) return;
    session_.out() << lead_ << word << '\t' << about.substr(0, about.find_first_of("\n\t")) << '\n';
  }
  void add_files() { session_.out() << ":files\n"; }

  void add_verbs(CLI::App& parent) {
    for (const CLI::App* verb : visible_verbs(parent)) add(verb->get_name(), verb->get_description());
  }

  void add_options(const CLI::App& verb) {
    for (const CLI::Option* option : verb.get_options()) {
      for (const std::string& name : option->get_lnames()) add("--" + name, option->get_description());
    }
  }

  // Adds the names of queues. A directory is not asked: it would be opened, and locked.
  void add_queues(bool of_dead_letters) {
    if (!session_.options.data.empty()) return;
    session_.options.time_limit = kTimeLimit;
    const auto broker = session_.broker();
    if (!broker) return;
    const auto queues = (*broker)->list_queues();
    if (!queues) return;
    const std::vector<std::string> serving = dead_letter_queues(*queues);
    for (const QueueInfo& info : *queues) {
      const bool serves = std::ranges::find(serving, info.name) != serving.end();
      if (serves || !of_dead_letters || serving.empty())
        add(info.name, serves ? std::to_string(info.counts.dead) + " dead"
                              : std::to_string(info.counts.ready) + " ready");
    }
  }

  void add_values(const CLI::App& verb, const CLI::Option& option) {
    if (takes_queue(option)) return add_queues(is_of_dead_letters(verb) && option.get_positional());
    const std::string type = option.get_type_name();
    constexpr std::array<std::string_view, 3> kFiles = {"file", "directory", "backups"};
    if (type == "FILE" || type == "PATH" || type.starts_with("DIR") ||
        std::ranges::find(kFiles, option.get_name()) != kFiles.end()) {
      return add_files();
    }
    add_choices(type);
  }

 private:
  // Adds the choices of a type such as "TEXT:{auto,always,never}".
  void add_choices(const std::string& type) {
    const auto begin = type.find('{');
    const auto end = type.find('}', begin);
    if (begin == std::string::npos || end == std::string::npos) return;
    for (const std::string& choice : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ','))
      add(choice);
  }

  CommandSession& session_;
  std::string typed_;
  std::string lead_;
};

}  // namespace

void complete(CLI::App& root, CommandSession& session, std::span<const std::string> words) {
  TypedLine line(root, session);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) line.take(words[i]);
  std::string typed = words.empty() ? "" : words.back();
  CLI::App& verb = line.verb();
  if (line.pending() != nullptr) {
    Candidates(session, typed == "=" ? "" : typed).add_values(verb, *line.pending());
    return;
  }
  if (const auto equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = verb.get_option_no_throw(typed.substr(0, equals));
    Candidates values(session, typed.substr(equals + 1));
    values.set_lead(typed.substr(0, equals + 1));
    if (option != nullptr) values.add_values(verb, *option);
    return;
  }
  Candidates candidates(session, typed);
  if (typed.starts_with('-')) return candidates.add_options(verb);
  if (verb.get_name() == "help") {
    if (CLI::App* helped = find_verb(root, line.helped()); helped != nullptr) candidates.add_verbs(*helped);
    if (line.helped().empty()) candidates.add("connection", "How to reach a server");
    return;
  }
  if (!visible_verbs(verb).empty()) return candidates.add_verbs(verb);
  if (line.positional() != nullptr) candidates.add_values(verb, *line.positional());
}

void add_completion(CLI::App& root, CommandSession& session) {
  auto shell = std::make_shared<std::string>();
  CLI::App& verb =
      add_verb(root, session, "completion",
               "Print a script with which a shell completes verbs, options and the names of queues",
               {"source <(holdfast completion bash)", "holdfast completion zsh > ~/.zfunc/_holdfast",
                "holdfast completion fish > ~/.config/fish/completions/holdfast.fish"});
  verb.add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  on_run(verb, session, [shell](CommandSession& s) -> Result<void> {
    s.out() << (*shell == "bash" ? kBashCompletion : *shell == "zsh" ? kZshCompletion : kFishCompletion);
    return {};
  });
}

}  // namespace holdfast::command
