// WireMessage is a message in memory, encoded as it goes over the wire.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>

#include <cstdint>

#include "tests/support/random.h"

namespace holdfast::testing {

// Holds what `write` puts into a T, as its receiver reads it.
template <class T>
class WireMessage {
 public:
  template <class Write>
  explicit WireMessage(Write write) : words_(written(write)), reader_(words_, kUnlimited) {}

  typename T::Reader get() { return reader_.template getRoot<T>(); }

 private:
  template <class Write>
  static kj::Array<capnp::word> written(Write& write) {
    capnp::MallocMessageBuilder builder;
    write(builder.initRoot<T>());
    return capnp::messageToFlatArray(builder);
  }

  static constexpr capnp::ReaderOptions kUnlimited{.traversalLimitInWords = UINT64_MAX};

  kj::Array<capnp::word> words_;
  capnp::FlatArrayMessageReader reader_;
};

inline constexpr std::uint64_t kConversionSeeds = 200;

}  // namespace holdfast::testing
