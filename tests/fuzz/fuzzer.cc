// libFuzzer's side: HOLDFAST_FUZZ_TARGET names the target; its seeds are written to HOLDFAST_FUZZ_SEEDS.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "tests/fuzz/target.h"

namespace {

using holdfast::fuzz::Target;

const Target* chosen = nullptr;

const char* environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread starts
  return value == nullptr ? "" : value;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const auto targets = holdfast::fuzz::targets();
  const auto found =
      std::ranges::find(targets, std::string_view(environment("HOLDFAST_FUZZ_TARGET")), &Target::name);
  if (found == targets.end()) {
    std::cerr << "HOLDFAST_FUZZ_TARGET must be one of:";
    for (const Target& target : targets) std::cerr << ' ' << target.name;
    std::cerr << '\n';
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): there is one thread
  }
  chosen = &*found;
  const std::filesystem::path folder = environment("HOLDFAST_FUZZ_SEEDS");
  if (folder.empty()) return 0;
  std::size_t number = 0;
  for (const std::string& seed : chosen->seeds()) {
    std::ofstream(folder / ("seed-" + std::to_string(++number)), std::ios::binary) << seed;
  }
  return 0;
}

// What a target throws ends the process, which is how libFuzzer sees a finding.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
