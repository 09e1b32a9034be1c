// Redis streams, a consumer group, over a Unix socket.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// fsync: appendfsync always. Buffered: appendfsync no, so that each write is in the operating system.
std::unique_ptr<Service> start_redis(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
