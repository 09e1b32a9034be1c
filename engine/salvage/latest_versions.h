// Of each row, the latest of the versions that are offered.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/salvage/table_rows.h"
#include "engine/storage/store.h"

namespace holdfast::salvage {

class LatestVersions {
 public:
  // `store`: an empty one, for this.
  explicit LatestVersions(std::unique_ptr<Store> store);

  // In any order. Of two with one number the one that is offered later counts.
  Result<void> offer(Family family, const RowVersion& version);
  // Removes the keys in [begin, end) with versions before `sequence`. `old_too`: those, too, that have no
  // number any more, which may be older or not.
  void remove_range(Family family, std::string_view begin, std::string_view end, std::uint64_t sequence,
                    bool old_too);

  // After all offers: the rows that are there.
  Result<std::unique_ptr<Reader>> finish();

 private:
  Result<void> flush();
  Result<void> apply_removals();
  Result<void> commit();

  struct Removal {
    Family family;
    std::string begin;
    std::string end;
    std::uint64_t sequence;
    bool old_too;
  };

  std::unique_ptr<Store> store_;
  std::unique_ptr<Batch> batch_;
  std::map<std::pair<Family, std::string>, std::string> offered_;
  std::size_t offered_bytes_ = 0;
  std::vector<Removal> removals_;
};

}  // namespace holdfast::salvage
