// A Reader whose reads end with an error once it is told to stop.
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
  // Both outlive it and its scans; `stop` does not become false again.
  StoppableReader(const Reader& reader, const std::atomic<bool>& stop) : reader_(reader), stop_(stop) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override;
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override;
  std::vector<Family> application_families() const override { return reader_.application_families(); }

 private:
  const Reader& reader_;
  const std::atomic<bool>& stop_;
};

}  // namespace holdfast::verify
