#include "salvage/tolerant_scan.h"

#include <algorithm>
#include <utility>

namespace holdfast::salvage {
namespace {

using Number = TolerantScan::Number;

constexpr std::size_t kKeyBytes = sizeof(Number);
constexpr int kKeyBits = 128;
// How often so many bytes more are looked at: the engine's own keys have up to two.
constexpr int kLevels = 2;

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

// The unreadable rows are a range of keys, in whose middle a scan cannot begin.
void TolerantScan::skip_unreadable() {
  if (!failed(*scan_)) return;
  const Error why = scan_->status().error();
  while (failed(*scan_)) {
    const std::string place = first_readable({}, from_, to_number(end_) - to_number(from_), kLevels);
    from_ = place > from_ ? place : end_;
    scan_ = reader_.scan(family_, from_, end_);
  }
  gap_(last_, scan_->valid() ? scan_->key() : std::string_view(), why);
}

// Widens the step from `prefix` + `from` until a scan can begin there, then narrows it down to the first key
// that does; and once more among the keys that begin like the last one that does not, since many may have the
// same first bytes, as those of messages that wait for one time. At most `most` away.
std::string TolerantScan::first_readable(const std::string& prefix, std::string_view from, Number most,
                                         int levels) const {
  const Number begin = to_number(from);
  const auto fails = [&](Number step) {
    return failed(*reader_.scan(family_, prefix + to_key(begin + step), end_));
  };
  Number bad = 0;
  Number good = most;
  for (int bit = 0; bit < kKeyBits && (Number{1} << bit) < most; ++bit) {
    const Number step = Number{1} << bit;
    if (!fails(step)) {
      good = step;
      break;
    }
    bad = step;
  }
  while (good - bad > 1) {
    const Number middle = bad + (good - bad) / 2;
    (fails(middle) ? bad : good) = middle;
  }
  const bool stays = bad == 0 && from.size() > kKeyBytes;
  const std::string_view rest = stays ? from.substr(kKeyBytes) : std::string_view();
  const Number most_inside = ~Number{0} - to_number(rest);
  if (levels == 0 || most_inside == 0) return prefix + to_key(begin + good);
  return first_readable(prefix + to_key(begin + bad), rest, most_inside, levels - 1);
}

}  // namespace holdfast::salvage
