#include "engine/salvage/latest_versions.h"

#include <algorithm>
#include <utility>

#include "engine/storage/application_keys.h"
#include "engine/storage/files/little_endian.h"

namespace holdfast::salvage {
namespace {

constexpr std::size_t kHead = sizeof(std::uint64_t) + 1;  // sequence, kind: before each value in the store
constexpr std::size_t kAtOnce = 4 << 20;

std::string encode(const RowVersion& version) {
  std::string bytes;
  bytes.reserve(kHead + version.value.size());
  append_little(bytes, version.sequence);
  bytes.push_back(static_cast<char>(version.kind));
  bytes.append(version.value);
  return bytes;
}

std::uint64_t sequence_of(std::string_view stored) { return load_little<std::uint64_t>(stored, 0); }
// The store keeps a row of its own in each family of the application, behind all keys.
bool is_of_the_store(Family family, std::string_view key) {
  return is_application_family(family) && key >= kApplicationKeysEnd;
}

bool is_there(std::string_view stored) { return static_cast<RowKind>(stored[kHead - 1]) == RowKind::kValue; }

class PresentScan final : public Scan {
 public:
  explicit PresentScan(std::unique_ptr<Scan> scan) : scan_(std::move(scan)) { pass_removed(); }

  bool valid() const override { return scan_->valid(); }
  void next() override {
    scan_->next();
    pass_removed();
  }
  std::string_view key() const override { return scan_->key(); }
  std::string_view value() const override { return scan_->value().substr(kHead); }
  Result<void> status() const override { return scan_->status(); }

 private:
  void pass_removed() {
    while (scan_->valid() && !is_there(scan_->value())) scan_->next();
  }

  const std::unique_ptr<Scan> scan_;
};

class PresentRows final : public Reader {
 public:
  explicit PresentRows(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    auto stored = store_->get(family, key);
    if (!stored || !stored->has_value()) return stored;
    if (!is_there(**stored)) return std::nullopt;
    return (*stored)->substr(kHead);
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    return std::make_unique<PresentScan>(store_->scan(family, begin, end));
  }
  std::vector<Family> application_families() const override { return store_->application_families(); }

 private:
  const std::unique_ptr<Store> store_;
};

}  // namespace

LatestVersions::LatestVersions(std::unique_ptr<Store> store)
    : store_(std::move(store)), batch_(store_->new_batch()) {}

Result<void> LatestVersions::offer(Family family, const RowVersion& version) {
  if (is_application_family(family)) {
    const auto there = store_->application_families();
    if (std::ranges::find(there, family) == there.end()) {
      if (auto ok = store_->create_family(family); !ok) return ok;
    }
  }
  if (is_of_the_store(family, version.key)) return {};
  std::string& kept = offered_[{family, std::string(version.key)}];
  if (!kept.empty() && sequence_of(kept) > version.sequence) return {};
  kept = encode(version);
  offered_bytes_ += version.key.size() + kept.size();
  return offered_bytes_ < kAtOnce ? Result<void>() : flush();
}

void LatestVersions::remove_range(Family family, std::string_view begin, std::string_view end,
                                  std::uint64_t sequence, bool old_too) {
  if (is_of_the_store(family, end)) end = kApplicationKeysEnd;
  if (begin < end) removals_.push_back({family, std::string(begin), std::string(end), sequence, old_too});
}

Result<void> LatestVersions::flush() {
  for (const auto& [place, version] : offered_) {
    const auto& [family, key] = place;
    const auto there = store_->get(family, key);
    if (!there) return tl::unexpected(there.error());
    if (!there->has_value() || sequence_of(**there) <= sequence_of(version))
      batch_->put(family, key, version);
  }
  offered_.clear();
  offered_bytes_ = 0;
  return commit();
}

Result<void> LatestVersions::commit() {
  const CommitResult result = store_->commit(*batch_, Durability::kBuffered);
  batch_->clear();
  if (result.outcome == CommitOutcome::kCommitted) return {};
  return fail(ErrorCode::kStorageFailed, "salvage could not write: " + result.message);
}

Result<void> LatestVersions::apply_removals() {
  for (const Removal& removal : removals_) {
    const auto rows = store_->scan(removal.family, removal.begin, removal.end);
    for (; rows->valid(); rows->next()) {
      const std::uint64_t sequence = sequence_of(rows->value());
      const bool is_older = sequence < removal.sequence && (sequence > 0 || removal.old_too);
      if (is_older) batch_->remove(removal.family, rows->key());
      if (batch_->byte_size() < kAtOnce) continue;
      if (auto ok = commit(); !ok) return ok;
    }
    if (auto ok = rows->status(); !ok) return ok;
  }
  return commit();
}

Result<std::unique_ptr<Reader>> LatestVersions::finish() {
  if (auto ok = flush(); !ok) return tl::unexpected(ok.error());
  if (auto ok = apply_removals(); !ok) return tl::unexpected(ok.error());
  batch_.reset();
  return std::make_unique<PresentRows>(std::move(store_));
}

}  // namespace holdfast::salvage
