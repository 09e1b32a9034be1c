// A QueueOption is a row of the table of options (queue_option_table.h): what is particular about an option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "holdfast/queue.h"

namespace holdfast {

// A notation says how the command reads a value if the type alone does not say it.
enum class Notation : std::uint8_t {
  kOfItsType,
  kBytes,   // a number that may have a unit, such as 64Ki
  kQueue,   // a text that names a queue
  kSwitch,  // a flag that stands alone and means yes
};

// A BoundedOption is a type whose values have an order, so that a row can have bounds.
template <class T>
concept BoundedOption = !std::is_same_v<T, bool> && (std::is_integral_v<T> || std::is_same_v<T, Duration>);

template <class T>
struct OptionBounds {
  T min;
  T max;
};
struct NoOptionBounds {};

// An OptionPlace finds an option: place(options) is its value in QueueOptions, and place(changes) what
// QueueChanges sets it to.
template <class T>
class OptionPlace {
 public:
  // `field` returns the option's field of its argument, which is either of the two, const or not.
  constexpr explicit OptionPlace(auto field)
      : value_(field), const_value_(field), change_(field), const_change_(field) {}

  T& operator()(QueueOptions& options) const { return value_(options); }
  const T& operator()(const QueueOptions& options) const { return const_value_(options); }
  std::optional<T>& operator()(QueueChanges& changes) const { return change_(changes); }
  const std::optional<T>& operator()(const QueueChanges& changes) const { return const_change_(changes); }

 private:
  T& (*value_)(QueueOptions&);
  const T& (*const_value_)(const QueueOptions&);
  std::optional<T>& (*change_)(QueueChanges&);
  const std::optional<T>& (*const_change_)(const QueueChanges&);
};

template <class T>
struct QueueOption {
  std::string_view name;  // what errors, the command and the protocol call it
  OptionPlace<T> place;

  // The tag is the number of the option's field in a stored definition. It never changes, and is never used
  // again once the option is gone. If a value is stored as several fields, this is the number of the first
  // one; catalog_rows.cc has the others.
  std::uint32_t tag;

  std::string_view help;  // what the command's help says about its flag
  std::string_view own_flag = {};
  Notation notation = Notation::kOfItsType;

  // A number that is missing in a stored definition means the default, and a 0 is not stored. An option that
  // may be 0 and has another default is therefore stored as one more than its value.
  bool stored_plus_one = false;

  // The bounds are the least and the greatest value that a queue may be declared with. Without bounds, every
  // number is valid.
  std::conditional_t<BoundedOption<T>, std::optional<OptionBounds<T>>, NoOptionBounds> bounds = {};

  constexpr QueueOption with_flag(std::string_view flag) const {
    QueueOption other = *this;
    other.own_flag = flag;
    return other;
  }
  constexpr QueueOption as(Notation other_notation) const {
    QueueOption other = *this;
    other.notation = other_notation;
    return other;
  }
  constexpr QueueOption stored_as_one_more() const {
    QueueOption other = *this;
    other.stored_plus_one = true;
    return other;
  }

  constexpr QueueOption within(T min, T max) const requires BoundedOption<T> {
    QueueOption other = *this;
    other.bounds = OptionBounds<T>{min, max};
    return other;
  }

  // Returns the flag, such as "--keep-replayed". It is the option's name unless the row has another one.
  std::string flag() const {
    std::string text(own_flag.empty() ? name : own_flag);
    for (char& c : text) c = c == '_' ? '-' : c;
    return "--" + text;
  }
};

}  // namespace holdfast
