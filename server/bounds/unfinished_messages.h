// Bounds the memory of messages that have not come in full.
#pragma once

#include <compare>
#include <cstddef>
#include <list>

#include "engine/sync/mutex.h"

namespace holdfast::server {

// The messages of all connections, on whatever loops they are. Thread-safe. It must outlive the shares.
class UnfinishedMessages {
 public:
  // A Message has begun to come. The greatest is the first whose connection must go.
  struct Message {
    bool is_strangers = false;  // its sender has not shown a token
    std::size_t bytes = 0;      // as far as it has come

    friend auto operator<=>(const Message&, const Message&) = default;
  };

  // A Sum counts the messages of one loop's connections.
  struct Sum {
    std::size_t bytes = 0;
    std::size_t messages = 0;
    Message greatest = {};

    void add(const Message& message);
  };

  // A Share counts for one loop, until the loop gives another number, or ends.
  class Share {
   public:
    explicit Share(UnfinishedMessages& all);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    // Sets what the loop has. Returns whether the connection of its greatest message must go: several
    // messages have more than `limit` bytes together, and no other loop has a greater one. A single message
    // may have any number of bytes, since the limit of a message bounds it. Numbers of other loops may be a
    // little old.
    bool is_too_much(const Sum& sum, std::size_t limit);

   private:
    UnfinishedMessages& all_;
    std::list<Sum>::iterator place_ HOLDFAST_GUARDED_BY(all_.mutex_);
  };

 private:
  sync::Mutex mutex_;
  std::list<Sum> shares_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server
