#include "server/access/users.h"

#include <pwd.h>

#include <array>
#include <charconv>

namespace holdfast::server {

Result<uid_t> find_user(const std::string& name) {
  uid_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size()) return number;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16 << 10> space{};
  ::getpwnam_r(name.c_str(), &entry, space.data(), space.size(), &found);
  if (found == nullptr) return fail(ErrorCode::kInvalidArgument, "no user named '" + name + "'");
  return entry.pw_uid;
}

}  // namespace holdfast::server
