// Converts strings, byte strings and times between Cap'n Proto and the standard library.
#pragma once

#include <capnp/blob.h>

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/time.h"

namespace holdfast::convert {

inline std::string_view view(capnp::Text::Reader text) { return {text.begin(), text.size()}; }

inline std::string_view view(capnp::Data::Reader data) {
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

inline std::string string(capnp::Text::Reader text) { return std::string(view(text)); }
inline std::string string(capnp::Data::Reader data) { return std::string(view(data)); }

// A std::string ends in a NUL, as a Text must. A std::string_view may not: it needs a Text that is
// initialised with its size, and set_text().
inline capnp::Text::Reader as_text(const std::string& value) { return {value.c_str(), value.size()}; }

inline void set_text(capnp::Text::Builder to, std::string_view value) {
  std::memcpy(to.begin(), value.data(), value.size());
}

inline capnp::Data::Reader as_data(std::string_view value) {
  return {reinterpret_cast<const kj::byte*>(value.data()), value.size()};
}

inline Timestamp timestamp(std::int64_t micros) { return Timestamp(Duration(micros)); }
inline std::int64_t micros(Timestamp time) { return time.time_since_epoch().count(); }

// A time that may be absent: a union of `none` and `micros`.
template <class Group>
void write_time(const std::optional<Timestamp>& from, Group to) {
  if (from) to.setMicros(micros(*from));
}
template <class Group>
std::optional<Timestamp> read_time(Group from) {
  return from.isMicros() ? std::optional(timestamp(from.getMicros())) : std::nullopt;
}

}  // namespace holdfast::convert
