// Writes a directory of the format that this code writes, for tests/golden: golden_writer DIRECTORY
#include <cstdlib>
#include <exception>
#include <iostream>

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
  if (argc != 2) {
    std::cerr << "Usage: golden_writer DIRECTORY\n";
    return 2;
  }
  try {
    write(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "golden_writer: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
