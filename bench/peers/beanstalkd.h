// beanstalkd with its binlog, over loopback.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// fsync: -f0, after each write. Buffered: -F, never.
std::unique_ptr<Service> start_beanstalkd(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
