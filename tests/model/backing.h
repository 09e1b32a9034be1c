// The engine under the model test stands on a Backing, which knows what a crash does to it.
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
  // Ends the engine without closing it. The next open() finds what is left.
  virtual void crash(std::optional<Engine>& engine) = 0;
  virtual bool can_crash() const = 0;
  // Returns whether a crash may lose the newest unsynced writes, and whether power can be cut before it.
  virtual bool loses_unsynced() const = 0;
  // Makes every write fail from now on. The caller must call crash() afterwards.
  virtual void cut_power() = 0;
};

// Makes a RocksDB directory. A crash leaves what a killed process leaves: everything that it wrote.
std::unique_ptr<Backing> make_rocksdb_backing();
// Makes a RocksDB directory with memtables so small that messages are flushed and compacted all the time. It
// cannot crash.
std::unique_ptr<Backing> make_small_rocksdb_backing();
// Makes a disk in memory. A crash leaves what a power loss leaves.
std::unique_ptr<Backing> make_memory_backing(std::uint64_t seed);

}  // namespace holdfast::testing
