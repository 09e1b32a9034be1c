#include "schema/convert/values/error_conversion.h"

#include "schema/convert/values/bytes.h"

namespace holdfast::convert {

void write(const Error& from, wire::Error::Builder to) {
  to.setCode(static_cast<std::uint16_t>(from.code));
  to.setMessage(as_text(from.message));
}

Error read(wire::Error::Reader from) {
  const auto code = error_info(static_cast<ErrorCode>(from.getCode())).code;
  return {code, string(from.getMessage())};
}

Error as_server_fault(const Error& error) {
  return {ErrorCode::kInternal, "the server's reply: " + error.message};
}

}  // namespace holdfast::convert
