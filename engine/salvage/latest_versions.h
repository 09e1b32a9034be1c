// Keeps the latest of the versions that are offered of each row.
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
  // `store` must be empty. It holds the versions and belongs to this object.
  explicit LatestVersions(std::unique_ptr<Store> store);

  // Offers a version. Versions may come in any order. If two have the same number, the one that is offered
  // later counts.
  Result<void> offer(Family family, const RowVersion& version);
  // Removes the versions of the keys in [begin, end) whose number is less than `sequence`. With `old_too` it
  // also removes those that have lost their number, which may be older or newer.
  void remove_range(Family family, std::string_view begin, std::string_view end, std::uint64_t sequence,
                    bool old_too);

  // Returns the rows that are there. Called after all offers.
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
