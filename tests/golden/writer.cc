// Writes a directory of the format that this code writes, for tests/golden:
//   golden_writer VERSION DIRECTORY
// VERSION 1b is a second directory of format 1.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <string_view>

#include "engine/codec/rows/catalog_rows.h"
#include "tests/golden/version_1.h"
#include "tests/golden/version_1b.h"
#include "tests/support/result_matchers.h"

namespace {

using holdfast::testing::must;

constexpr std::string_view kVersions[] = {"1", "1b"};

void write(std::string_view version, const std::filesystem::path& directory) {
  holdfast::testing::ManualClock clock;
  holdfast::golden::Manifest manifest;
  auto engine =
      must(holdfast::Engine::open(directory / "data", {.clock = &clock, .background = false, .id_salt = 1}));
  if (version == "1") write_version_1(engine, clock, manifest);
  if (version == "1b") write_version_1b(engine, clock, manifest, directory / "backups");
  must(engine.close());
  manifest.write(directory / "manifest");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "Usage: golden_writer VERSION DIRECTORY\n";
    return 2;
  }
  static_assert(holdfast::kFormatVersion == 1);
  const std::string_view version = argv[1];
  if (std::ranges::find(kVersions, version) == std::end(kVersions)) {
    std::cerr << "golden_writer: this code writes format " << holdfast::kFormatVersion << ", as 1 and 1b\n";
    return 2;
  }
  try {
    write(version, argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "golden_writer: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
