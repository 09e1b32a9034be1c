// What a commit changes in the index over dead letters of one queue.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/dead_letter_index.h"
#include "storage/store.h"

namespace holdfast {

class IndexChanges {
 public:
  void add(const IndexEntry& entry, bool history) { change(entry, history, 1); }
  void remove(const IndexEntry& entry, bool history) { change(entry, history, -1); }

  // Adds the postings and counts as they are to be to `rows`. `store` has all earlier groups; `cleared`: none
  // of its rows count any more. kCorruption, or what reading it failed with.
  Result<void> write(const Store& store, bool cleared, Batch& rows) const;

 private:
  struct Step {
    Seq seq{};
    int by = 0;
  };
  struct CountChange {
    std::int64_t here = 0;
    std::int64_t history = 0;
  };
  // What one group of postings gets and loses: ascending.
  struct Net {
    std::vector<Seq> added;
    std::vector<Seq> removed;
  };

  void change(const IndexEntry& entry, bool history, int by);
  static Net net_of(std::vector<Step> steps);
  static Result<void> take_out(const Store& store, std::string_view group, const std::vector<Seq>& removed,
                               Batch& rows);
  static void put_postings(std::string_view group, const std::vector<Seq>& added, Batch& rows);
  Result<void> write_counts(const Store& store, bool cleared, Batch& rows) const;

  std::map<std::string, std::vector<Step>, std::less<>> groups_;  // by keys::posting_group()
  std::map<std::string, CountChange> counts_;
};

}  // namespace holdfast
