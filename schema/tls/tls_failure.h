// This header declares the failure of a connection whose TLS breaks down after the handshake. A server's
// verdict on its client's certificate, for example, comes so late.
#pragma once

#include <kj/exception.h>
#include <kj/string.h>

#include <boost/system/error_code.hpp>

namespace holdfast::transport {

inline constexpr const char* kTlsFailure = "TLS failed: ";

inline kj::Exception tls_failure(const boost::system::error_code& error) {
  return {kj::Exception::Type::FAILED, __FILE__, __LINE__, kj::str(kTlsFailure, error.message().c_str())};
}

// Returns whether an exception is such a failure, even if its type has changed on its way.
inline bool is_tls_failure(const kj::Exception& exception) {
  return exception.getDescription().startsWith(kTlsFailure);
}

}  // namespace holdfast::transport
