// Replays what fuzzing found, and a few changes of it. tools/fuzz searches on.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/target.h"
#include "tests/support/random.h"

namespace holdfast::fuzz {
namespace {

// Returns the inputs in tests/fuzz/corpus/TARGET and the target's seeds, each with where it comes from.
std::vector<std::pair<std::string, std::string>> inputs_of(const Target& target) {
  std::vector<std::pair<std::string, std::string>> inputs;
  for (std::string& seed : target.seeds()) inputs.emplace_back("a seed", std::move(seed));
  const auto folder = std::filesystem::path(HOLDFAST_FUZZ_CORPUS) / target.name;
  if (!std::filesystem::is_directory(folder)) return inputs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.emplace_back(entry.path().string(), std::string(std::istreambuf_iterator<char>(file), {}));
  }
  return inputs;
}

void damage(std::string& input, testing::Random& random) {
  for (std::uint64_t n = random.between(1, 3); n > 0 && !input.empty(); --n) {
    char& byte = input[random.below(input.size())];
    byte = random.one_in(2) ? static_cast<char>(random.below(256))
                            : static_cast<char>(byte ^ (1 << random.below(8)));
  }
  if (random.one_in(4)) input.resize(random.below(input.size() + 1));
}

class FuzzTest : public ::testing::TestWithParam<Target> {};

// A search begins with the seeds. It would find little if the target refused them.
TEST_P(FuzzTest, SeedsDecode) {
  for (const std::string& seed : GetParam().seeds())
    EXPECT_TRUE(GetParam().run(seed)) << ::testing::PrintToString(seed);
}

TEST_P(FuzzTest, EveryKnownInputIsAnswered) {
  for (const auto& [name, input] : inputs_of(GetParam())) {
    SCOPED_TRACE(name);
    EXPECT_NO_THROW(GetParam().run(input));
  }
}

TEST_P(FuzzTest, DamagedInputsAreAnswered) {
  const std::uint64_t rounds = testing::environment_count("HOLDFAST_FUZZ_ROUNDS", 20);
  for (const auto& [name, input] : inputs_of(GetParam())) {
    for (std::uint64_t seed = 1; seed <= rounds; ++seed) {
      SCOPED_TRACE(name + ", damaged with seed " + std::to_string(seed));
      testing::Random random(seed);
      std::string damaged = input;
      damage(damaged, random);
      EXPECT_NO_THROW(GetParam().run(damaged));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzTest, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace holdfast::fuzz
