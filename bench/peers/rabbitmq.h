// This header has RabbitMQ over loopback, with persistent messages and publisher confirms. Its acks are not
// confirmed: a consumer cannot know when an ack is on disk.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// Starts RabbitMQ. With kFsync, its queue is a quorum queue, which confirms after an fsync of its log. With
// kBuffered, it is a classic queue, which syncs now and then.
std::unique_ptr<Service> start_rabbitmq(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
