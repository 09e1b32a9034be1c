// Marks name what a campaign does, in the rows that are written because of it. A body, a reason, a request id
// or a key has a mark. So a store can say whether that has been written, and whether it is on disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::testing {

enum class MarkKind : char {
  kMessage = 'm',      // in a message's body
  kReason = 'j',       // in the record of a rejection
  kRequest = 'r',      // in the request id of the call that settles
  kTransaction = 't',  // in the key of a transaction's row
};

struct Mark {
  MarkKind kind = MarkKind::kMessage;
  std::uint64_t number = 0;
  friend auto operator<=>(const Mark&, const Mark&) = default;
};

inline std::string to_string(const Mark& mark) {
  return std::string("[") + static_cast<char>(mark.kind) + std::to_string(mark.number) + "]";
}

// Calls visit(mark) for each mark in the bytes. Other bytes may look like a mark by chance. That does no
// harm, since a campaign asks only for its own marks.
template <class Visit>
void for_each_mark(std::string_view bytes, Visit&& visit) {
  constexpr std::string_view kKinds = "mjrt";
  for (std::size_t at = bytes.find('['); at != std::string_view::npos; at = bytes.find('[', at + 1)) {
    const std::size_t end = bytes.find_first_not_of("0123456789", at + 2);
    if (end == std::string_view::npos || end == at + 2 || end > at + 20 || bytes[end] != ']') continue;
    if (kKinds.find(bytes[at + 1]) == std::string_view::npos) continue;
    visit(Mark{static_cast<MarkKind>(bytes[at + 1]),
               std::stoull(std::string(bytes.substr(at + 2, end - at - 2)))});
  }
}

}  // namespace holdfast::testing
