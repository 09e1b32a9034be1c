// The size of an answer with deliveries.
#pragma once

#include <capnp/common.h>

#include "holdfast/engine.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/values/value.h"

namespace holdfast::server {

// Returns the room for the deliveries in one piece, so that the answer need not grow while it is written.
inline capnp::MessageSize reply_size(const Deliveries& deliveries) {
  std::uint64_t words = 16;
  for (const auto& delivery : deliveries) {
    words += convert::words_of(delivery.body, delivery.attributes);
    if (delivery.failure) words += convert::words_of(*delivery.failure);
  }
  return {words, 0};
}

}  // namespace holdfast::server
