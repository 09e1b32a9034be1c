// What becomes of a connection when TLS breaks down after the handshake: among others a server's verdict on
// its client's certificate comes so late.
#pragma once

#include <kj/exception.h>
#include <kj/string.h>

#include <boost/system/error_code.hpp>

namespace holdfast::transport {

inline constexpr const char* kTlsFailure = "TLS failed: ";

inline kj::Exception tls_failure(const boost::system::error_code& error) {
  return {kj::Exception::Type::FAILED, __FILE__, __LINE__, kj::str(kTlsFailure, error.message().c_str())};
}

// Whatever its type has become on its way.
inline bool is_tls_failure(const kj::Exception& exception) {
  return exception.getDescription().startsWith(kTlsFailure);
}

}  // namespace holdfast::transport
