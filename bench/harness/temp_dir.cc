#include "bench/harness/temp_dir.h"

#include <cstdlib>
#include <string>
#include <system_error>

#include "bench/harness/workload.h"

namespace holdfast::bench {

TempDir::TempDir(const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  std::string name = (parent / "holdfast-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw BenchError("cannot make a directory in " + parent.string());
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace holdfast::bench
