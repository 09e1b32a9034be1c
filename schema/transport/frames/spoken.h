// Tells what the other side of a new connection speaks by its first four bytes, since people mistake one port
// for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::transport {

enum class Spoken : std::uint8_t {
  kMessages,  // Cap'n Proto, or anything else that begins like it
  kHttp,      // a request or a response
  kTls,
  kUnknown,
};

inline constexpr std::size_t kSpokenBytes = 4;

// kMaxFirstWord is the largest first number of a message that is accepted: the number of its segments, minus
// one. Cap'n Proto 0.9 reads past the end of the segment table of a message with more segments (later
// versions do not), and no message that it writes has as many.
inline constexpr std::uint32_t kMaxFirstWord = 511;

Spoken spoken_by(std::span<const std::byte, kSpokenBytes> first);

// Texts for the log, and for errors of clients.
inline constexpr const char* kSpeaksHttp =
    "the other side speaks HTTP, not Holdfast's RPC (holdfastd's http-listen and metrics-listen are for "
    "HTTP, its listen for RPC)";
inline constexpr const char* kSpeaksTls =
    "the other side speaks TLS, this one does not (tls://host:port does)";

// kHttpAnswer is the answer of a port for RPC to a peer that speaks HTTP.
inline constexpr const char* kHttpAnswer =
    "HTTP/1.1 400 Bad Request\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 99\r\n"
    "Connection: close\r\n"
    "\r\n"
    "This port speaks Holdfast's RPC, not HTTP; holdfastd's http-listen and metrics-listen are for HTTP\n";

}  // namespace holdfast::transport
