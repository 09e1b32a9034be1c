// Finds the requests in the bytes of a connection.
#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

inline constexpr unsigned kHttp11 = 11;                  // Beast's number for the version
inline constexpr std::uint32_t kHeaderBytes = 64 << 10;  // attributes of a message come as headers
// kReadBytes bounds what is read ahead, and what no other limit counts: the extensions of a chunk, and the
// fields after the last chunk. Beast takes those only as a whole, and ends the process if one has 64 KiB.
inline constexpr std::size_t kReadBytes = kHeaderBytes;

// Settles the host of a head (settle_host()). Returns what is wrong with the head whatever it asks for: with
// its host, with how it says where the body ends, or with a header that stands twice.
std::optional<Error> settle_head(HttpRequest& head);

// Skips the empty lines before a request, which some clients send after a body (RFC 9112, 2.2).
void skip_empty_lines(boost::beast::flat_buffer& buffer);

// Returns whether the bytes after skip_empty_lines() belong to a request. The first half of a line's end may
// be half of an empty line.
bool has_begun(const boost::beast::flat_buffer& buffer);

// Returns why what was read is not a request. Returns nothing if the client has gone: nobody would read an
// answer.
std::optional<Error> malformed(const boost::beast::error_code& error);

}  // namespace holdfast::server
