#include "tools/cli/texts/option_words.h"

#include <algorithm>

namespace holdfast::command {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

// As the command has it; empty if it has no such option.
std::string option_of(std::string_view word, const std::set<std::string>& options) {
  if (word.find('_') == std::string_view::npos) return {};
  std::string name(word);
  std::ranges::replace(name, '_', '-');
  return options.contains(name) ? "--" + name : std::string();
}

bool is_letter(char c) { return kLetters.find(c) != std::string_view::npos; }

// Whether the message begins with a quote that opens or ends one, and is none of "can't".
bool is_quote(std::string_view message, char before, bool quoted) {
  if (message.front() != '\'') return false;
  if (!quoted) return !is_letter(before);
  return message.size() == 1 || !is_letter(message[1]);
}

}  // namespace

std::string with_option_words(std::string_view message, const std::set<std::string>& options) {
  std::string text;
  bool quoted = false;
  while (!message.empty()) {
    const std::size_t length = std::min(message.find_first_not_of(kLetters), message.size());
    const std::string_view word = message.substr(0, length);
    const std::string option = quoted ? std::string() : option_of(word, options);
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
