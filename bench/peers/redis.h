// This header has Redis with streams and a consumer group, over a Unix socket.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// Starts Redis. With kFsync, it has appendfsync always. With kBuffered, it has appendfsync no, so that each
// write is in the operating system.
std::unique_ptr<Service> start_redis(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
