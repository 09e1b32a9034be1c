#include "bench/peers/text_connection.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "bench/harness/workload.h"

namespace holdfast::bench {

TextConnection::TextConnection(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    ::close(socket_);
    throw BenchError("cannot connect to port " + std::to_string(port));
  }
}

TextConnection::~TextConnection() { ::close(socket_); }

void TextConnection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) throw BenchError("the connection broke");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string TextConnection::read_line() {
  for (;;) {
    const auto end = buffer_.find("\r\n", read_);
    if (end != std::string::npos) {
      std::string line = buffer_.substr(read_, end - read_);
      read_ = end + 2;
      return line;
    }
    fill();
  }
}

std::string TextConnection::read_bytes(std::size_t count) {
  while (buffer_.size() - read_ < count) fill();
  std::string bytes = buffer_.substr(read_, count);
  read_ += count;
  return bytes;
}

void TextConnection::fill() {
  buffer_.erase(0, read_);
  read_ = 0;
  std::array<char, 1U << 16U> chunk;
  const auto got = ::recv(socket_, chunk.data(), chunk.size(), 0);
  if (got <= 0) throw BenchError("the connection broke");
  buffer_.append(chunk.data(), static_cast<std::size_t>(got));
}

}  // namespace holdfast::bench
