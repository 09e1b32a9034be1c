#include "engine/storage/memory/memory_image.h"

#include <iomanip>
#include <sstream>

#include "engine/base/helpers/check.h"

namespace holdfast {
namespace {

// Stops the process if the change does not keep to `rule`, a sentence. The message names the change's key.
void check_use(bool keeps_to_rule, const MemoryChange& change, std::string_view rule) {
  if (keeps_to_rule) return;
  std::ostringstream text;
  text << rule << ": family " << family_name(change.family) << ", key " << std::hex << std::setfill('0');
  for (const unsigned char byte : change.key) text << std::setw(2) << static_cast<int>(byte);
  HOLDFAST_CHECK(keeps_to_rule, text.str().c_str());
}

}  // namespace

MemoryImage::MemoryImage() {
  for (std::size_t i = 0; i < kFamilyCount; ++i) families_.try_emplace(static_cast<Family>(i));
}

std::vector<Family> MemoryImage::application_families() const {
  std::vector<Family> result;
  for (auto it = families_.lower_bound(kFirstApplicationFamily); it != families_.end(); ++it) {
    result.push_back(it->first);
  }
  return result;
}

void MemoryImage::create_family(Family family) { families_.try_emplace(family); }

void MemoryImage::drop_family(Family family) {
  const auto found = families_.find(family);
  if (found == families_.end()) return;
  for (const auto& [key, entry] : found->second.entries) byte_size_ -= key.size() + entry.value.size();
  families_.erase(found);
}

MemoryImage::Content& MemoryImage::content(const MemoryChange& change) {
  const auto found = families_.find(change.family);
  check_use(found != families_.end(), change, "a change is to a family that is there");
  return found->second;
}

const MemoryImage::Content* MemoryImage::find_family(Family family) const {
  const auto found = families_.find(family);
  return found == families_.end() ? nullptr : &found->second;
}

void MemoryImage::apply(const MemoryCommit& commit) {
  for (const auto& change : commit) {
    switch (change.kind) {
      case MemoryChange::Kind::kPut:
        put(change, false);
        break;
      case MemoryChange::Kind::kPutOnce:
        put(change, true);
        break;
      case MemoryChange::Kind::kRemove:
        remove(change);
        break;
      case MemoryChange::Kind::kRemoveOnce:
        remove_once(change);
        break;
      case MemoryChange::Kind::kRemoveRange:
        remove_range(change);
        break;
    }
  }
}

const std::string* MemoryImage::find(Family family, std::string_view key) const {
  const Content* content = find_family(family);
  if (content == nullptr) return nullptr;
  const auto found = content->entries.find(key);
  return found == content->entries.end() ? nullptr : &found->second.value;
}

std::vector<std::pair<std::string, std::string>> MemoryImage::range(Family family, std::string_view begin,
                                                                    std::string_view end) const {
  std::vector<std::pair<std::string, std::string>> result;
  const Content* content = find_family(family);
  if (content == nullptr) return result;
  const auto& entries = content->entries;
  for (auto entry = entries.lower_bound(begin); entry != entries.end() && entry->first < end; ++entry) {
    result.emplace_back(entry->first, entry->second.value);
  }
  return result;
}

void MemoryImage::put(const MemoryChange& change, bool once) {
  auto& family = content(change);
  check_use(!family.removed_by_range.contains(change.key), change,
            "a key that was put once and removed by a range is not put again");
  unsigned puts = 1;
  const auto found = family.entries.find(change.key);
  if (found != family.entries.end()) {
    puts += found->second.puts;
    check_use(!once && !found->second.once, change, "a key that is put once is not put twice");
    byte_size_ -= found->first.size() + found->second.value.size();
  }
  family.entries.insert_or_assign(change.key, Entry{change.value, once, puts});
  byte_size_ += change.key.size() + change.value.size();
}

void MemoryImage::remove(const MemoryChange& change) {
  auto& entries = content(change).entries;
  const auto found = entries.find(change.key);
  if (found == entries.end()) return;
  check_use(!found->second.once, change, "a key that was put once is removed only with remove_once");
  byte_size_ -= found->first.size() + found->second.value.size();
  entries.erase(found);
}

void MemoryImage::remove_once(const MemoryChange& change) {
  auto& family = content(change);
  const auto found = family.entries.find(change.key);
  if (found == family.entries.end()) {
    check_use(family.removed_by_range.erase(change.key) != 0, change,
              "remove_once is of a key that is there");
  } else {
    check_use(found->second.puts == 1, change, "remove_once is of a key that was not put more than once");
    byte_size_ -= found->first.size() + found->second.value.size();
    family.entries.erase(found);
  }
}

void MemoryImage::remove_range(const MemoryChange& change) {
  auto& family = content(change);
  auto entry = family.entries.lower_bound(change.key);
  while (entry != family.entries.end() && entry->first < change.value) {
    byte_size_ -= entry->first.size() + entry->second.value.size();
    if (entry->second.once) family.removed_by_range.insert(entry->first);
    entry = family.entries.erase(entry);
  }
}

}  // namespace holdfast
