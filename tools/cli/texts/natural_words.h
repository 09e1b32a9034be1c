// What people type who know a verb by another name, from another broker or from the shell.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::command {

struct Lead {
  std::string_view verb;       // "queue list"
  std::string_view when = {};  // what it does, where the word may mean several
};

struct NaturalWord {
  std::string_view group;  // "", "queue" or "dlq": where the words are typed
  std::vector<std::string_view> words;
  std::vector<Lead> leads;
};

std::span<const NaturalWord> natural_words();

// "did you mean 'holdfast release' (to have it tried again) or ...?" Empty if the word is none of them.
std::string lead_on(std::string_view group, std::string_view typed);

}  // namespace holdfast::command
