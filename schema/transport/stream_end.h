// These functions read from an error of Asio's how a stream ended.
#pragma once

#include <kj/debug.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

#include "schema/tls/tls_failure.h"

namespace holdfast::transport {

// Returns whether the peer has ended the stream. It may be cut without a word of TLS's: messages say where
// they end, so nothing is missed.
inline bool is_end(const boost::system::error_code& error) {
  return error == boost::asio::error::eof || error == boost::asio::ssl::error::stream_truncated;
}

// Makes the exception that a reader gets if the stream broke without such an end.
inline kj::Exception lost(const boost::system::error_code& error) {
  if (error.category() == boost::asio::error::get_ssl_category()) return tls_failure(error);
  return kj::Exception(kj::Exception::Type::DISCONNECTED, __FILE__, __LINE__,
                       kj::str("connection lost: ", error.message().c_str()));
}

}  // namespace holdfast::transport
