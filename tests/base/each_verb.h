// Calls each verb of a broker, so that a test of all verbs needs no list of its own.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast::testing {

// Gives a verb one argument of each type that it takes. Whatever has no field here is as it is by default.
struct VerbArguments {
  std::string_view queue = "orders";
  Receipt receipt{};
  std::filesystem::path directory{};

  template <class T>
  T of() const {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return queue;
    } else if constexpr (std::is_same_v<T, Receipt>) {
      return receipt;
    } else if constexpr (std::is_same_v<T, std::span<const Receipt>>) {
      return {&receipt, 1};
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
      return directory;
    } else if constexpr (std::is_same_v<T, Pause>) {
      return {.deliveries = true};
    } else if constexpr (std::is_same_v<T, Duration>) {
      return std::chrono::seconds(1);
    } else if constexpr (std::is_same_v<T, DeadLetterSelection>) {
      return {.all = true};
    } else if constexpr (std::is_same_v<T, DeadLetterChanges>) {
      return {.assignee = "somebody"};
    } else if constexpr (std::is_same_v<T, std::vector<Message>> ||
                         std::is_same_v<T, std::vector<DeadLetter>>) {
      return T(1);
    } else {
      return T{};
    }
  }
};

template <class R, class Verbs, class... P>
R call_verb(Broker& broker, R (Verbs::*verb)(P...), const VerbArguments& arguments) {
  return (broker.*verb)(arguments.of<std::remove_cvref_t<P>>()...);
}

// Returns whether the verb's first argument is the name of a queue.
template <class R, class Verbs, class... P>
constexpr bool takes_queue(R (Verbs::* /*verb*/)(std::string_view, P...)) {
  return true;
}
template <class R, class Verbs, class... P>
constexpr bool takes_queue(R (Verbs::* /*verb*/)(P...)) {
  return false;
}

// Calls `visit` with the name of each verb, as a std::string_view, and with a pointer to it.
template <class Visit>
void for_each_verb(Visit visit) {
#define HOLDFAST_VISIT(verb, takes, defaults) visit(std::string_view(#verb), &Broker::verb);
  HOLDFAST_VERBS(HOLDFAST_VISIT)
#undef HOLDFAST_VISIT
}

}  // namespace holdfast::testing
