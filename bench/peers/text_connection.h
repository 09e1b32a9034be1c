// TextConnection is a socket with a protocol of lines and counted bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::bench {

class TextConnection {
 public:
  // Connects to 127.0.0.1. Throws BenchError if nobody is there.
  explicit TextConnection(std::uint16_t port);
  ~TextConnection();
  TextConnection(const TextConnection&) = delete;
  TextConnection& operator=(const TextConnection&) = delete;

  void write(std::string_view bytes);
  std::string read_line();  // returns the line without its "\r\n"
  std::string read_bytes(std::size_t count);

 private:
  void fill();

  int socket_;
  std::string buffer_;
  std::size_t read_ = 0;  // how many bytes of the buffer are read
};

}  // namespace holdfast::bench
