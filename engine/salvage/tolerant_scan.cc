#include "salvage/tolerant_scan.h"

#include <algorithm>
#include <utility>

namespace holdfast::salvage {
namespace {

__extension__ using Number = unsigned __int128;

constexpr std::size_t kKeyBytes = sizeof(Number);
constexpr int kKeyBits = 128;

// A key's first bytes as a number.
Number to_number(std::string_view key) {
  Number number = 0;
  for (std::size_t i = 0; i < kKeyBytes; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
  }
  return number;
}

std::string to_key(Number number) {
  std::string key(kKeyBytes, '\0');
  for (std::size_t i = kKeyBytes; i-- > 0; number >>= 8) key[i] = static_cast<char>(number & 0xff);
  return key;
}

bool failed(const Scan& scan) { return !scan.valid() && !scan.status(); }

}  // namespace

TolerantScan::TolerantScan(const Reader& reader, Family family, std::string begin, std::string end, Gap gap)
    : reader_(reader), family_(family), end_(std::move(end)), gap_(std::move(gap)), from_(std::move(begin)) {
  scan_ = reader_.scan(family_, from_, end_);
  skip_unreadable();
}

void TolerantScan::next() {
  last_ = scan_->key();
  from_ = last_;
  scan_->next();
  skip_unreadable();
}

// The unreadable rows are a range of keys, in whose middle a scan cannot begin: widens the step until one
// can, then narrows it down to the first key that does.
void TolerantScan::skip_unreadable() {
  while (failed(*scan_)) {
    const Error why = scan_->status().error();
    const Number from = to_number(from_);
    const Number most = to_number(end_) - from;
    Number bad = 0;
    Number good = most;
    for (int bit = 0; bit < kKeyBits && (Number{1} << bit) < most; ++bit) {
      const Number step = Number{1} << bit;
      if (!failed(*reader_.scan(family_, to_key(from + step), end_))) {
        good = step;
        break;
      }
      bad = step;
    }
    while (good - bad > 1) {
      const Number middle = bad + (good - bad) / 2;
      (failed(*reader_.scan(family_, to_key(from + middle), end_)) ? bad : good) = middle;
    }
    from_ = to_key(from + good);
    scan_ = reader_.scan(family_, from_, end_);
    gap_(last_, scan_->valid() ? scan_->key() : std::string_view(), why);
  }
}

}  // namespace holdfast::salvage
