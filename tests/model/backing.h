// What the engine under the model test stands on, and what a crash does to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "holdfast/engine.h"

namespace holdfast::testing {

class Backing {
 public:
  virtual ~Backing() = default;
  virtual Engine open(const Clock& clock) = 0;
  // Ends the engine without its doing; the next open() finds what is left.
  virtual void crash(std::optional<Engine>& engine) = 0;
  virtual bool can_crash() const = 0;
  // A crash may lose the newest unsynced writes, and power can be cut before it.
  virtual bool loses_unsynced() const = 0;
  // From now on every write fails; crash() is to follow.
  virtual void cut_power() = 0;
};

// A RocksDB directory. A crash leaves what a killed process leaves: everything that it wrote.
std::unique_ptr<Backing> make_rocksdb_backing();
// The same with memtables so small that messages are flushed and compacted all the time. Cannot crash.
std::unique_ptr<Backing> make_small_rocksdb_backing();
// A disk in memory. A crash leaves what a power loss leaves.
std::unique_ptr<Backing> make_memory_backing(std::uint64_t seed);

}  // namespace holdfast::testing
