// Cuts a byte stream into Cap'n Proto messages.
#pragma once

#include <capnp/message.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <memory>

#include "schema/transport/frames/spoken.h"

namespace holdfast::transport {

// Bytes go in through space() and filled(), messages come out of next(). No I/O.
class FrameReader {
 public:
  explicit FrameReader(std::size_t buffer_bytes);

  // Where the bytes that follow go. Valid until the next call of anything else.
  std::array<boost::asio::mutable_buffer, 2> space();
  void filled(std::size_t bytes);

  // The next whole message; null if that takes more bytes. A message keeps its own copy of its bytes.
  // Throws kj::Exception on bytes that are no message, or one larger than options.traversalLimitInWords;
  // the stream is lost then.
  kj::Maybe<kj::Own<capnp::MessageReader>> next(const capnp::ReaderOptions& options);

  // What the bytes that come next are, if there are enough of them to tell; else kMessages.
  Spoken spoken() const;

  // Throws away what has come in and was not taken.
  void discard();

  // What has come in and was not taken. The stream must not end while there is some.
  std::size_t untaken_bytes() const { return large_filled_ + (end_ - begin_); }

 private:
  kj::Maybe<std::size_t> frame_words(const capnp::ReaderOptions& options) const;
  kj::Own<capnp::MessageReader> take(kj::Array<capnp::word> words, const capnp::ReaderOptions& options);
  void begin_large(std::size_t words);

  std::unique_ptr<std::byte[]> buffer_;
  std::size_t capacity_;
  std::size_t begin_ = 0;  // buffer_[begin_, end_) has come in and was not taken
  std::size_t end_ = 0;
  // A message that is too large for the buffer is gathered here, without a detour through it.
  kj::Array<capnp::word> large_ = nullptr;
  std::size_t large_filled_ = 0;
};

}  // namespace holdfast::transport
