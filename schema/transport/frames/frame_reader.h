// Cuts a stream of bytes into Cap'n Proto messages.
#pragma once

#include <capnp/message.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <memory>

#include "schema/transport/frames/spoken.h"

namespace holdfast::transport {

// Bytes go in through space() and filled(), and messages come out of next(). It does no I/O.
class FrameReader {
 public:
  explicit FrameReader(std::size_t buffer_bytes);

  // Returns where the bytes that come next must go. Valid until the next call of any other function.
  std::array<boost::asio::mutable_buffer, 2> space();
  void filled(std::size_t bytes);

  // Returns the next whole message, or null if more bytes are needed. A message keeps its own copy of its
  // bytes. Throws kj::Exception if the bytes are no message, or if the message is larger than
  // options.traversalLimitInWords; the stream is lost then.
  kj::Maybe<kj::Own<capnp::MessageReader>> next(const capnp::ReaderOptions& options);

  // Returns what the untaken bytes are. It is kMessages while there are too few of them to tell.
  Spoken spoken() const;

  // Discards the bytes that have come in and were not taken.
  void discard();

  // Returns how many bytes have come in and were not taken. If the stream ends while there are some, it ends
  // inside a message.
  std::size_t untaken_bytes() const { return large_filled_ + (end_ - begin_); }

 private:
  kj::Maybe<std::size_t> frame_words(const capnp::ReaderOptions& options) const;
  kj::Own<capnp::MessageReader> take(kj::Array<capnp::word> words, const capnp::ReaderOptions& options);
  void begin_large(std::size_t words);

  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // buffer_[begin_, end_) has come in and was not taken
  std::size_t end_ = 0;
  // A message that is too large for the buffer is gathered here directly.
  kj::Array<capnp::word> large_ = nullptr;
  std::size_t large_filled_ = 0;
};

}  // namespace holdfast::transport
