#include "schema/convert/error.h"

#include "schema/convert/bytes.h"

namespace holdfast::convert {

void write(const Error& from, wire::Error::Builder to) {
  to.setCode(static_cast<std::uint16_t>(from.code));
  to.setMessage(text(from.message));
}

Error read(wire::Error::Reader from) {
  const auto code = error_info(static_cast<ErrorCode>(from.getCode())).code;
  return {code, string(from.getMessage())};
}

}  // namespace holdfast::convert
