#include "engine/storage/durability/rocksdb_manifest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/storage/durability/rocksdb_log.h"
#include "engine/storage/files/little_endian.h"

namespace holdfast {
namespace {

// RocksDB gives the fields of a record these numbers.
enum Tag : std::uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFile = 3,
  kLastSequence = 4,
  kCompactCursor = 5,
  kDeletedFile = 6,
  kPreviousLog = 9,
  kFirstLog = 10,
  kNewFile = 103,
  kFamily = 200,
  kFamilyAdded = 201,
  kFamilyDropped = 202,
  kMostFamilies = 203,
  kInGroup = 300,
  kMayBePassedOver = 1 << 13,  // from here on, a field is a length and that many bytes
};

constexpr std::size_t kKeyTrailer = 8;  // kind:u8 sequence:u56 at a key's end
constexpr std::uint64_t kRangeRemoval = 15;
constexpr std::uint64_t kBehindAllRows = std::uint64_t{0xffffffffffffff} << 8 | kRangeRemoval;

// Takes numbers and texts off the front of the bytes. If one is missing, ok() is false from then on.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::uint32_t small() { return static_cast<std::uint32_t>(number()); }
  std::string text() {
    const std::uint64_t size = number();
    if (size > bytes_.size()) ok_ = false;
    if (!ok_) return {};
    std::string result(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return result;
  }
  // Returns the key of a row in a table.
  std::string key() { return row().first; }
  // Returns the first key behind the last row of a table. If a range removal of the table continues in the
  // next table, or ends behind the last row, RocksDB names a last row that no table has: the first key of the
  // next table, or the end of the range, with the highest number and the kind of a range removal. It sorts
  // before all rows of that key.
  std::string end() {
    auto [key, trailer] = row();
    if (trailer != kBehindAllRows) key.push_back('\0');
    return key;
  }

 private:
  std::pair<std::string, std::uint64_t> row() {
    std::string key = text();
    if (key.size() < kKeyTrailer) ok_ = false;
    if (!ok_) return {};
    const std::size_t size = key.size() - kKeyTrailer;
    const auto trailer = load_little<std::uint64_t>(key, size);
    key.resize(size);
    return {std::move(key), trailer};
  }

  std::string_view bytes_;
  bool ok_ = true;
};

// A Change is what a record changes. It is of one family, and the record's fields come in any order.
struct Change {
  std::uint32_t family = 0;
  std::optional<std::uint64_t> first_log;
  std::optional<std::uint64_t> first_kept_log;
  std::optional<std::string> added;
  bool dropped = false;
  std::vector<std::uint64_t> deleted;
  std::vector<std::pair<std::uint64_t, ManifestTable>> tables;
  std::uint64_t last_write = 0;
};

void take_table(Fields& fields, Change& change) {
  constexpr std::uint32_t kEnd = 1;
  (void)fields.number();  // level
  const std::uint64_t number = fields.number();
  (void)fields.number();  // size
  ManifestTable table;
  table.first = fields.key();
  table.end = fields.end();
  (void)fields.number();  // first and last sequence number
  (void)fields.number();
  while (fields.ok() && fields.small() != kEnd) (void)fields.text();
  change.tables.emplace_back(number, std::move(table));
}

// Returns false for an unknown field.
bool take_field(std::uint32_t tag, Fields& fields, Change& change) {
  if (tag >= kMayBePassedOver) {
    (void)fields.text();
    return true;
  }
  switch (tag) {
    case kComparator:
      (void)fields.text();
      return true;
    case kLogNumber:
      change.first_log = fields.number();
      return true;
    case kFirstLog:
      change.first_kept_log = fields.number();
      return true;
    case kLastSequence:
      change.last_write = fields.number();
      return true;
    case kNextFile:
    case kPreviousLog:
    case kMostFamilies:
    case kInGroup:
      (void)fields.number();
      return true;
    case kCompactCursor:
      (void)fields.number();
      (void)fields.text();
      return true;
    case kDeletedFile:
      (void)fields.number();  // level
      change.deleted.push_back(fields.number());
      return true;
    case kNewFile:
      take_table(fields, change);
      return true;
    case kFamily:
      change.family = fields.small();
      return true;
    case kFamilyAdded:
      change.added = fields.text();
      return true;
    case kFamilyDropped:
      change.dropped = true;
      return true;
    default:
      return false;
  }
}

void apply(const Change& change, Manifest& manifest) {
  for (const std::uint64_t number : change.deleted) manifest.tables.erase(number);
  for (const auto& [number, table] : change.tables) {
    manifest.tables[number] = table;
    manifest.tables[number].family = change.family;
    manifest.named.insert(number);
  }
  if (change.first_log) manifest.first_logs[change.family] = *change.first_log;
  if (change.first_kept_log) manifest.first_kept_log = change.first_kept_log;
  if (change.added) manifest.families[change.family] = *change.added;
  manifest.last_write = std::max(manifest.last_write, change.last_write);
  if (!change.dropped) return;
  manifest.families.erase(change.family);
  manifest.first_logs.erase(change.family);
  std::erase_if(manifest.tables, [&](const auto& entry) { return entry.second.family == change.family; });
}

bool apply_record(std::string_view record, Manifest& manifest) {
  Fields fields(record);
  Change change;
  while (fields.ok() && !fields.at_end()) {
    if (!take_field(fields.small(), fields, change)) return false;
  }
  if (fields.ok()) apply(change, manifest);
  return fields.ok();
}

}  // namespace

std::uint64_t Manifest::first_needed_log() const {
  const auto first_log = [this](std::uint32_t family) {
    const auto found = first_logs.find(family);
    return found == first_logs.end() ? 0 : found->second;
  };
  std::uint64_t first = first_log(0);  // RocksDB's own family is always there, and never named
  for (const auto& [family, name] : families) first = std::min(first, first_log(family));
  return std::max(first, first_kept_log.value_or(0));
}

Manifest parse_manifest(std::string_view bytes) {
  Manifest manifest;
  manifest.whole = true;
  const auto gaps = read_records(bytes, [&](std::string_view record) {
    manifest.whole = apply_record(record, manifest) && manifest.whole;
  });
  // The last record may be one whose writing was interrupted.
  const bool breaks_off = gaps.size() == 1 && gaps.front().end == bytes.size();
  manifest.whole = manifest.whole && (gaps.empty() || breaks_off) && !manifest.families.empty();
  return manifest;
}

}  // namespace holdfast
