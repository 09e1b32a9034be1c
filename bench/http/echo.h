// A server on Boost.Beast that gives back the body of each request, and does nothing else. No server can be
// faster.
#pragma once

#include <cstdint>

namespace holdfast::bench {

// Serves until the process ends. It has one thread, as holdfastd has one for its connections.
void serve_http_echo(std::uint16_t port);

}  // namespace holdfast::bench
