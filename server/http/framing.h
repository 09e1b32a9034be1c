// How a request is told from the bytes around it.
#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

inline constexpr unsigned kHttp11 = 11;                  // as Beast has it
inline constexpr std::uint32_t kHeaderBytes = 64 << 10;  // attributes of a message come as headers
// What is read ahead. It also bounds what no other limit counts: the extensions of a chunk, and the fields
// behind the last chunk. Beast takes those only as a whole, and ends the process over one of 64 KiB.
inline constexpr std::size_t kReadBytes = kHeaderBytes;

// What is wrong with a head, whatever it asks for: with its host, which is settled (settle_host()), or with
// how it says where the body ends.
std::optional<Error> settle_head(HttpRequest& head);

// Takes the empty lines away that stand before a request, as some clients send one behind a body (RFC 9112,
// 2.2).
void skip_empty_lines(boost::beast::flat_buffer& buffer);

// Whether what is left then is of a request. The first half of the end of a line may be half of an empty one.
bool has_begun(const boost::beast::flat_buffer& buffer);

// Why what was read is no request. Nothing if the client has gone: nobody reads an answer then.
std::optional<Error> malformed(const boost::beast::error_code& error);

}  // namespace holdfast::server
