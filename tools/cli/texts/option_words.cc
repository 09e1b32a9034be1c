#include "tools/cli/texts/option_words.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "engine/base/options/queue_option_table.h"

namespace holdfast::command {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

struct Word {
  std::string_view engine;
  std::string_view command;
};

// These names differ from their flags by more than dashes, or are values. The table of queue options has the
// flags of those options itself.
constexpr std::array kWords = {
    Word{"auto_redrive.categories", "--auto-redrive category"},
    Word{"brake.deaths_per_minute", "--brake deaths"},
    Word{"causes", "--caused-by"},
    Word{"changes.assignee", "--to"},
    Word{"changes.note", "--text"},
    Word{"consumer.instance", "--instance"},
    Word{"consumer.version", "--consumer-version"},
    Word{"dead_letter", "dead-letter"},
    Word{"dead_letter_head", "dead-letter-head"},
    Word{"deduplication_id", "--dedup-id"},
    Word{"drop_head", "drop-head"},
    Word{"edit.drop_attributes", "--drop-attribute"},
    Word{"edit.json_patch", "--patch"},
    Word{"edit.value_attributes", "--set-attribute-from"},
    Word{"filter.attributes", "--attribute"},
    Word{"grouping", "--ordered/--fair"},
    Word{"journal.max_entries", "--journal entries"},
    Word{"options.to", "--to"},
    Word{"reject_send", "reject-send"},
};

std::string dashed(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

// Returns what people type for a member of an option that is given as KEY=VALUE.
template <class T>
std::string member_of(const QueueOption<T>& option, std::string_view key) {
  if constexpr (std::is_same_v<T, Tags> || std::is_same_v<T, std::vector<DeadLetterRoute>>)
    return option.flag() + ' ' + std::string(key);  // people have named the key, so it stays as it is
  // A rule's threshold is set by the rule's own name.
  if (constexpr std::string_view kThreshold = ".above"; key.ends_with(kThreshold))
    key.remove_suffix(kThreshold.size());
  return option.flag() + ' ' + dashed(key);
}

// Returns what kWords has for the name; empty if it is none of them.
std::string renamed(std::string_view name) {
  const auto* word = std::ranges::find(kWords, name, &Word::engine);
  return word == kWords.end() ? std::string() : std::string(word->command);
}

// Returns the flag of a queue option whose flag has another name, or of a member of an option. Empty for any
// other name.
std::string flag_of(std::string_view name) {
  const std::size_t dot = name.find('.');
  std::string flag;
  for_each_option([&](const auto& option) {
    if (option.name != name.substr(0, dot)) return;
    if (dot != std::string_view::npos) {
      flag = member_of(option, name.substr(dot + 1));
    } else if (!option.own_flag.empty()) {
      flag = option.flag();
    }
  });
  return flag;
}

// Returns the option as people type it; empty if the command has no such option.
std::string option_of(std::string_view word, const std::set<std::string>& options) {
  if (std::string typed = renamed(word); !typed.empty()) return typed;
  if (word.find_first_of("_.") == std::string_view::npos) return {};
  if (std::string flag = flag_of(word); !flag.empty()) return flag;
  const std::string name = dashed(word);
  return options.contains(name) ? "--" + name : std::string();
}

// Returns whether the rest of a message shows that its first word is the name of an option: "lease is 0s, it
// must be ...".
bool tells_of_option(std::string_view rest) {
  for (const std::string_view verb : {" is ", " has "}) {
    if (rest.starts_with(verb) && rest.size() > verb.size() && rest[verb.size()] >= '0' &&
        rest[verb.size()] <= '9')
      return true;
  }
  return rest.starts_with(" must be ") || rest.starts_with(" and ");
}

bool is_letter(char c) { return kLetters.find(c) != std::string_view::npos; }

// Returns the length of the first word of the message. The word may contain stops, but does not end with one.
std::size_t word_length(std::string_view message) {
  std::size_t length = std::min(message.find_first_not_of(kLetters), message.size());
  while (length > 0 && message[length - 1] == '.') --length;
  return length;
}

// Returns whether the message begins with a quote that opens or ends a quoted word, unlike the one in
// "can't".
bool is_quote(std::string_view message, char before, bool quoted) {
  if (message.front() != '\'') return false;
  if (!quoted) return !is_letter(before);
  return message.size() == 1 || !is_letter(message[1]);
}

}  // namespace

std::string option_as_typed(std::string_view name) {
  if (std::string typed = renamed(name); !typed.empty()) return typed;
  std::string flag = flag_of(name);
  return flag.empty() ? "--" + dashed(name) : flag;
}

std::string with_option_words(std::string_view message, const std::set<std::string>& options) {
  std::string text;
  bool quoted = false;
  while (!message.empty()) {
    const std::size_t length = word_length(message);
    const std::string_view word = message.substr(0, length);
    std::string option = quoted ? std::string() : option_of(word, options);
    if (text.empty() && options.contains(std::string(word)) && tells_of_option(message.substr(length)))
      option = "--" + std::string(word);
    text += option.empty() ? word : std::string_view(option);
    message.remove_prefix(length);
    if (message.empty()) break;
    if (is_quote(message, text.empty() ? ' ' : text.back(), quoted)) quoted = !quoted;
    text += message.front();
    message.remove_prefix(1);
  }
  return text;
}

}  // namespace holdfast::command
