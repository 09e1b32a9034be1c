// How large an answer with deliveries is.
#pragma once

#include <capnp/common.h>

#include "server/handed_out.h"

namespace holdfast::server {

// Room for them in one piece, so that it need not grow while it is written.
inline capnp::MessageSize reply_size(const Deliveries& deliveries) {
  constexpr std::size_t kWordsOfDelivery = 24;  // without content
  constexpr std::size_t kWordsOfAttribute = 4;  // the same, padding included
  std::size_t words = 16;
  for (const auto& delivery : deliveries) {
    words += kWordsOfDelivery + content_bytes(delivery) / sizeof(capnp::word) +
             delivery.attributes.size() * kWordsOfAttribute;
  }
  return {words, 0};
}

}  // namespace holdfast::server
