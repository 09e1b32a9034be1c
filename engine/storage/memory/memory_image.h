// A MemoryImage is the content of a memory store: what its commits have made of the families.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/storage/store.h"

namespace holdfast {

struct MemoryChange {
  enum class Kind : std::uint8_t { kPut, kRemove, kPutOnce, kRemoveOnce, kRemoveRange };

  Kind kind;
  Family family;
  std::string key;
  std::string value = {};  // the end of the range for kRemoveRange
};

// the changes of one commit, in order
using MemoryCommit = std::vector<MemoryChange>;

class MemoryImage {
 public:
  MemoryImage();

  // Returns the application's families, in ascending order.
  std::vector<Family> application_families() const;
  void create_family(Family family);
  void drop_family(Family family);

  // Applies the changes. Stops the process with a message if a change names a family that is not there, or
  // breaks the rules of put_once and remove_once: RocksDB would accept it and bring old values back later.
  void apply(const MemoryCommit& commit);

  // Returns nullptr if there is no such key. The value is valid until the next apply().
  const std::string* find(Family family, std::string_view key) const;
  std::vector<std::pair<std::string, std::string>> range(Family family, std::string_view begin,
                                                         std::string_view end) const;
  // Returns the bytes of all keys and values.
  std::size_t byte_size() const { return byte_size_; }

 private:
  struct Entry {
    std::string value;
    bool once;      // whether put_once put it
    unsigned puts;  // how often it was put since it was last absent
  };
  struct Content {
    std::map<std::string, Entry, std::less<>> entries;
    // `removed_by_range` has the put_once keys that a range has removed; they never live again.
    std::set<std::string, std::less<>> removed_by_range;
  };

  void put(const MemoryChange& change, bool once);
  void remove(const MemoryChange& change);
  void remove_once(const MemoryChange& change);
  void remove_range(const MemoryChange& change);
  Content& content(const MemoryChange& change);
  // Returns nullptr if there is no such family.
  const Content* find_family(Family family) const;

  std::map<Family, Content> families_;
  std::size_t byte_size_ = 0;
};

}  // namespace holdfast
