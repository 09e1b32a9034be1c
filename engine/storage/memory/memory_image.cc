#include "engine/storage/memory/memory_image.h"

#include <cstdlib>
#include <iomanip>
#include <iostream>

namespace holdfast {
namespace {

[[noreturn]] void stop_on_misuse(const MemoryChange& change, std::string_view what) {
  std::cerr << "holdfast: " << what << ": family " << family_name(change.family) << ", key " << std::hex
            << std::setfill('0');
  for (const unsigned char byte : change.key) std::cerr << std::setw(2) << static_cast<int>(byte);
  std::cerr << std::endl;
  std::abort();
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
  if (found == families_.end()) stop_on_misuse(change, "a change to a family that is not there");
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
  if (family.removed_by_range.contains(change.key)) {
    stop_on_misuse(change, "a key that was put once and removed by a range is put again");
  }
  unsigned puts = 1;
  const auto found = family.entries.find(change.key);
  if (found != family.entries.end()) {
    puts += found->second.puts;
    if (once || found->second.once) stop_on_misuse(change, "a key that is put once is put twice");
    byte_size_ -= found->first.size() + found->second.value.size();
  }
  family.entries.insert_or_assign(change.key, Entry{change.value, once, puts});
  byte_size_ += change.key.size() + change.value.size();
}

void MemoryImage::remove(const MemoryChange& change) {
  auto& entries = content(change).entries;
  const auto found = entries.find(change.key);
  if (found == entries.end()) return;
  if (found->second.once) stop_on_misuse(change, "a key that was put once is not removed with remove_once");
  byte_size_ -= found->first.size() + found->second.value.size();
  entries.erase(found);
}

void MemoryImage::remove_once(const MemoryChange& change) {
  auto& family = content(change);
  const auto found = family.entries.find(change.key);
  if (found == family.entries.end()) {
    if (family.removed_by_range.erase(change.key) == 0) {
      stop_on_misuse(change, "remove_once of a key that is not there");
    }
  } else {
    if (found->second.puts != 1) stop_on_misuse(change, "remove_once of a key that was put more than once");
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
