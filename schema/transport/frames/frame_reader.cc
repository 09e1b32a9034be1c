// A message on the wire (the standard serialization):
//
//   u32      number of segments, minus one
//   u32      number of words of each segment
//   u32      padding, if that makes an odd number of u32
//   words    the segments
//
// All numbers are little-endian.
#include "schema/transport/frames/frame_reader.h"

#include <capnp/serialize.h>
#include <kj/debug.h>

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <cstring>

namespace holdfast::transport {
namespace {

using capnp::word;

// The buffer must hold the largest segment table.
constexpr std::size_t kMinBufferBytes = 4096;

std::uint32_t load_u32(const std::byte* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return boost::endian::little_to_native(value);
}

const char* mistake(Spoken protocol) {
  if (protocol == Spoken::kHttp) return kSpeaksHttp;
  if (protocol == Spoken::kTls) return kSpeaksTls;
  return "the other side does not speak Holdfast's RPC: its message has too many segments";
}

// The exception is thrown without KJ_REQUIRE's record of the place, since the peer and the log read it.
[[noreturn]] void refuse(kj::String why) {
  kj::throwFatalException(kj::Exception(kj::Exception::Type::FAILED, __FILE__, __LINE__, kj::mv(why)));
}

// Owns the words. It is a base of the message, so that the reader is destroyed first.
class OwnedWords {
 protected:
  explicit OwnedWords(kj::Array<word> words) : words_(kj::mv(words)) {}
  kj::Array<word> words_;
};

class OwnedMessage final : private OwnedWords, public capnp::FlatArrayMessageReader {
 public:
  OwnedMessage(kj::Array<word> words, const capnp::ReaderOptions& reader_options)
      : OwnedWords(kj::mv(words)), FlatArrayMessageReader(words_, reader_options) {}
};

}  // namespace

FrameReader::FrameReader(std::size_t buffer_bytes)
    : buffer_(std::make_unique_for_overwrite<std::byte[]>(buffer_bytes)), capacity_(buffer_bytes) {
  KJ_REQUIRE(buffer_bytes >= kMinBufferBytes, "read buffer is too small", buffer_bytes);
}

std::array<boost::asio::mutable_buffer, 2> FrameReader::space() {
  if (begin_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  auto large = large_.asBytes();
  return {boost::asio::buffer(large.begin() + large_filled_, large.size() - large_filled_),
          boost::asio::buffer(buffer_.get() + end_, capacity_ - end_)};
}

void FrameReader::filled(std::size_t bytes) {
  auto of_large = std::min(bytes, large_.asBytes().size() - large_filled_);
  large_filled_ += of_large;
  end_ += bytes - of_large;
}

kj::Maybe<kj::Own<capnp::MessageReader>> FrameReader::next(const capnp::ReaderOptions& options) {
  if (large_ != nullptr) {
    if (large_filled_ < large_.asBytes().size()) return nullptr;
    large_filled_ = 0;
    return take(kj::mv(large_), options);
  }
  KJ_IF_MAYBE (words, frame_words(options)) {
    auto bytes = *words * sizeof(word);
    if (bytes > end_ - begin_) {
      if (bytes > capacity_) begin_large(*words);
      return nullptr;
    }
    auto copy = kj::heapArray<word>(*words);
    std::memcpy(copy.begin(), buffer_.get() + begin_, bytes);
    begin_ += bytes;
    return take(kj::mv(copy), options);
  }
  return nullptr;
}

Spoken FrameReader::spoken() const {
  if (end_ - begin_ < kSpokenBytes) return Spoken::kMessages;
  return spoken_by(std::span<const std::byte, kSpokenBytes>(buffer_.get() + begin_, kSpokenBytes));
}

void FrameReader::discard() {
  begin_ = end_ = large_filled_ = 0;
  large_ = nullptr;
}

// Returns the size of the message that starts at begin_, with its table; null if the table is not whole.
kj::Maybe<std::size_t> FrameReader::frame_words(const capnp::ReaderOptions& options) const {
  const auto* at = buffer_.get() + begin_;
  auto available = end_ - begin_;
  if (available < sizeof(std::uint32_t)) return nullptr;
  if (const Spoken protocol = spoken(); protocol != Spoken::kMessages) refuse(kj::str(mistake(protocol)));
  auto first = load_u32(at);
  std::size_t table_words = (first + 3) / 2;
  if (available < table_words * sizeof(word)) return nullptr;
  std::uint64_t words = table_words;
  for (std::size_t segment = 1; segment <= first + 1; ++segment) {
    words += load_u32(at + segment * sizeof(std::uint32_t));
  }
  if (words > options.traversalLimitInWords) {
    refuse(kj::str("a message is too large: ", words, " words, and the limit is ",
                   options.traversalLimitInWords));
  }
  return words;
}

kj::Own<capnp::MessageReader> FrameReader::take(kj::Array<word> words, const capnp::ReaderOptions& options) {
  return kj::heap<OwnedMessage>(kj::mv(words), options);
}

// Reserves the memory for a large message. A peer that may be lying says how much. The memory is not touched
// before bytes arrive, so it takes only addresses; to grow it with the bytes would copy them.
void FrameReader::begin_large(std::size_t words) {
  large_ = kj::heapArray<word>(words);
  large_filled_ = end_ - begin_;
  std::memcpy(large_.begin(), buffer_.get() + begin_, large_filled_);
  begin_ = end_ = 0;
}

}  // namespace holdfast::transport
