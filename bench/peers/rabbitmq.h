// RabbitMQ over loopback: persistent messages, publisher confirms. Its acks are not confirmed: a consumer
// cannot know when one is on disk.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// fsync: a quorum queue, which confirms after fsync of its log. Buffered: a classic queue, which fsyncs now
// and then.
std::unique_ptr<Service> start_rabbitmq(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
