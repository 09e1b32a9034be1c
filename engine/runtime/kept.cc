#include "runtime/kept.h"

#include <cstdlib>
#include <iostream>
#include <string_view>

namespace holdfast {
namespace {

[[noreturn]] void stop(const CommitPipeline& pipeline, GroupNumber group, std::string_view what) {
  std::cerr << "holdfast: an answer would leave before " << what << ": group "
            << static_cast<std::uint64_t>(group) << ", the last one committed is "
            << static_cast<std::uint64_t>(pipeline.last_committed()) << std::endl;
  std::abort();
}

}  // namespace

void check_committed(const CommitPipeline& pipeline, GroupNumber group) {
  if (!pipeline.committed(group)) stop(pipeline, group, "its commit is written");
}

Durability durability_kept(const CommitPipeline& pipeline, GroupNumber group, Durability asked) {
  check_committed(pipeline, group);
  const Durability kept = pipeline.durability_of(group);
  if (asked == Durability::kFsync && kept != Durability::kFsync)
    stop(pipeline, group, "its commit is fsynced, as was asked");
  return kept;
}

}  // namespace holdfast
