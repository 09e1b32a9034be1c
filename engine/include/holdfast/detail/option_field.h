// This header has the types of an option in QueueOptions and in QueueChanges. Users do not include it.
#pragma once

#include <optional>
#include <type_traits>

namespace holdfast::detail {

// OptionValue is the type of an option in QueueOptions: that of its value.
template <class T>
using OptionValue = T;

// An OptionChange is an option in QueueChanges: its new value, or nothing if the option stays as it is.
template <class T>
using OptionChange = std::optional<T>;

// Returns what an option is before anybody sets it: its default in QueueOptions, nothing in QueueChanges.
template <template <class> class Field, class T>
constexpr Field<T> initially(T value) {
  if constexpr (std::is_same_v<Field<T>, T>) {
    return value;
  } else {
    return {};
  }
}

}  // namespace holdfast::detail
