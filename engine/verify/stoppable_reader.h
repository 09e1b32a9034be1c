// A StoppableReader is a Reader whose reads fail once it is told to stop.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/storage/store.h"

namespace holdfast::verify {

class StoppableReader final : public Reader {
 public:
  // Both arguments must outlive the reader and its scans, and `stop` must not become false again.
  StoppableReader(const Reader& reader, const std::atomic<bool>& stop) : reader_(reader), stop_(stop) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override;
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override;
  std::vector<Family> application_families() const override { return reader_.application_families(); }

 private:
  const Reader& reader_;
  const std::atomic<bool>& stop_;
};

}  // namespace holdfast::verify
