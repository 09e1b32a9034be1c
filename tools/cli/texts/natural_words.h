// Words that people type who know a verb by another name, from another broker or from the shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::command {

struct Lead {
  std::string_view verb;       // "queue list"
  std::string_view when = {};  // what the verb does, if the word may mean several verbs
};

struct NaturalWord {
  std::string_view group;  // where the words are typed: "", "queue" or "dlq"
  std::vector<std::string_view> words;
  std::vector<Lead> leads;
};

std::span<const NaturalWord> natural_words();

// Returns a suggestion such as "did you mean 'holdfast release' (to have it tried again) or ...?". It is
// empty if the word is not known.
std::string lead_on(std::string_view group, std::string_view typed);

}  // namespace holdfast::command
