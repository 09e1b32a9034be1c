// Writes a directory of the format that this code writes, for tests/golden: golden_writer VERSION DIRECTORY
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>

#include "codec/catalog_rows.h"
#include "golden/version_1.h"
#include "support/result_matchers.h"

namespace {

using holdfast::testing::must;

void write(const std::filesystem::path& directory) {
  holdfast::testing::ManualClock clock;
  holdfast::golden::Manifest manifest;
  auto engine =
      must(holdfast::Engine::open(directory / "data", {.clock = &clock, .background = false, .id_salt = 1}));
  write_version_1(engine, clock, manifest);
  must(engine.close());
  manifest.write(directory / "manifest");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "Usage: golden_writer VERSION DIRECTORY\n";
    return 2;
  }
  if (argv[1] != std::to_string(holdfast::kFormatVersion)) {
    std::cerr << "golden_writer: this code writes format " << holdfast::kFormatVersion << '\n';
    return 2;
  }
  try {
    write(argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "golden_writer: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
