// This header has beanstalkd with its binlog, over loopback.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// Starts beanstalkd. With kFsync it syncs after each write (-f0); with kBuffered it never does (-F).
std::unique_ptr<Service> start_beanstalkd(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
