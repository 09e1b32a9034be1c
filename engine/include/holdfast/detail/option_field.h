// What an option of a queue is in QueueOptions and in QueueChanges. Users do not include this header.
#pragma once

#include <optional>
#include <type_traits>

namespace holdfast::detail {

// The type of an option in QueueOptions: that of its value.
template <class T>
using OptionValue = T;

// The type of an option in QueueChanges: its new value, or nothing if the option stays as it is.
template <class T>
using OptionChange = std::optional<T>;

// What an option is before anybody sets it: its default in QueueOptions, nothing in QueueChanges.
template <template <class> class Field, class T>
constexpr Field<T> initially(T value) {
  if constexpr (std::is_same_v<Field<T>, T>) {
    return value;
  } else {
    return {};
  }
}

}  // namespace holdfast::detail
