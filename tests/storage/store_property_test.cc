// Random commits, reads and reopens are compared with a std::map per family.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "tests/storage/store_home.h"
#include "tests/storage/store_steps.h"
#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

// kMessages keeps to the rules of put_once and remove_once; the other families take anything.
class Model {
 public:
  explicit Model(Random& random) : random_(random) {}

  void change(Batch& batch) {
    const auto family = static_cast<Family>(random_.below(kFamilyCount));
    if (random_.one_in(12)) return remove_range(batch, family);
    if (family == Family::kMessages) return change_once(batch);
    const std::string key = short_key();
    if (random_.one_in(3)) {
      batch.remove(family, key);
      content(family).erase(key);
    } else {
      content(family)[key] = random_.bytes(random_.below(40));
      batch.put(family, key, content(family)[key]);
    }
  }

  void compare_with(const Store& store) {
    const auto family = static_cast<Family>(random_.below(kFamilyCount));
    const std::string begin = short_key();
    const std::string end = random_.one_in(2) ? kTop : short_key();
    const auto& expected = content(family);
    Rows inside;
    for (auto row = expected.lower_bound(begin); row != expected.end() && row->first < end; ++row)
      inside.push_back(*row);
    ASSERT_EQ(rows(store, family, begin, end), inside);
    const auto found = expected.find(begin);
    ASSERT_EQ(get(store, family, begin),
              found == expected.end() ? std::nullopt : std::optional(found->second));
  }

 private:
  std::map<std::string, std::string>& content(Family family) {
    return families_[static_cast<std::size_t>(family)];
  }

  // Returns one of a few keys, so that the same keys come again.
  std::string short_key() {
    std::string key(random_.below(3), '\0');
    for (char& c : key) c = static_cast<char>(random_.below(6) * 51);
    return key;
  }

  void change_once(Batch& batch) {
    auto& messages = content(Family::kMessages);
    if (random_.one_in(2) && !messages.empty()) {
      const auto oldest = messages.begin();
      batch.remove_once(Family::kMessages, oldest->first);
      messages.erase(oldest);
      return;
    }
    const std::string key = short_key() + ":" + std::to_string(next_++);
    messages[key] = random_.bytes(random_.below(2000));
    batch.put_once(Family::kMessages, key, messages[key]);
  }

  void remove_range(Batch& batch, Family family) {
    const std::string begin = short_key();
    const std::string end = short_key();
    batch.remove_range(family, begin, end);
    std::erase_if(content(family), [&](const auto& row) { return begin <= row.first && row.first < end; });
  }

  Random& random_;
  std::array<std::map<std::string, std::string>, kFamilyCount> families_;
  std::uint64_t next_ = 0;
};

class StoreProperty : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Stores, StoreProperty, ::testing::Values("rocksdb", "memory"),
                         [](const auto& test) { return std::string(test.param); });

void run(StoreHome& home, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  Model model(random);
  auto store = must(home.open());
  auto batch = store->new_batch();
  for (int step = 0; step < 600; ++step) {
    batch->clear();
    for (auto n = random.between(1, 8); n > 0; --n) model.change(*batch);
    const auto durability = random.one_in(10) ? Durability::kFsync : Durability::kBuffered;
    ASSERT_THAT(store->commit(*batch, durability), IsCommitted());
    ASSERT_NO_FATAL_FAILURE(model.compare_with(*store));
    if (random.one_in(100)) {
      if (random.one_in(2)) must(store->close());
      store.reset();
      store = must(home.open());
      batch = store->new_batch();
    }
  }
}

TEST_P(StoreProperty, EqualsAMapPerFamily) {
  const auto first = environment_number("HOLDFAST_STORE_SEED", 1);
  const auto count = environment_count("HOLDFAST_STORE_SEEDS", 5);
  for (auto seed = first; seed < first + count; ++seed) {
    const auto home = make_home(GetParam());
    ASSERT_NO_FATAL_FAILURE(run(*home, seed));
  }
}

}  // namespace
}  // namespace holdfast::testing
