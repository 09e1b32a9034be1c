// A server on Boost.Beast that gives back the body of each request, and does nothing else: the floor.
#pragma once

#include <cstdint>

namespace holdfast::bench {

// Does not return. One thread, as holdfastd has one for its connections.
void serve_http_echo(std::uint16_t port);

}  // namespace holdfast::bench
