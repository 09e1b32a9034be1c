// Walks the rows of a family past those that cannot be read.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "storage/store.h"

namespace holdfast::salvage {

class TolerantScan {
 public:
  // Some bytes of a key.
  __extension__ using Number = unsigned __int128;

  // The rows after `last` (all if it is empty) and before `next` (the end if it is empty) are lost.
  using Gap = std::function<void(std::string_view last, std::string_view next, const Error& why)>;

  TolerantScan(const Reader& reader, Family family, std::string begin, std::string end, Gap gap);

  bool valid() const { return scan_->valid(); }
  void next();
  std::string_view key() const { return scan_->key(); }
  std::string_view value() const { return scan_->value(); }

 private:
  void skip_unreadable();
  std::string first_readable(const std::string& prefix, std::string_view from, Number most, int levels) const;

  const Reader& reader_;
  const Family family_;
  const std::string end_;
  const Gap gap_;
  std::string last_;  // the last key that was read
  std::string from_;  // where the scan began, or goes on after last_
  std::unique_ptr<Scan> scan_;
};

}  // namespace holdfast::salvage
