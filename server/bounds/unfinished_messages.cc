#include "server/bounds/unfinished_messages.h"

#include <algorithm>

namespace holdfast::server {

void UnfinishedMessages::Sum::add(const Message& message) {
  bytes += message.bytes;
  ++messages;
  greatest = std::max(greatest, message);
}

UnfinishedMessages::Share::Share(UnfinishedMessages& all) : all_(all) {
  const sync::Lock lock(all_.mutex_);
  place_ = all_.shares_.emplace(all_.shares_.end());
}

UnfinishedMessages::Share::~Share() {
  const sync::Lock lock(all_.mutex_);
  all_.shares_.erase(place_);
}

bool UnfinishedMessages::Share::is_too_much(const Sum& sum, std::size_t limit) {
  const sync::Lock lock(all_.mutex_);
  *place_ = sum;
  Sum total;
  for (const Sum& share : all_.shares_) {
    total.bytes += share.bytes;
    total.messages += share.messages;
    total.greatest = std::max(total.greatest, share.greatest);
  }
  return total.bytes > limit && total.messages > 1 && sum.messages > 0 && sum.greatest == total.greatest;
}

}  // namespace holdfast::server
