// PostgreSQL: a table as a queue, over a Unix socket. A batch is inserted in one transaction; a consumer
// deletes what it takes with FOR UPDATE SKIP LOCKED in a transaction that ends after it has it, which is
// receive and ack in one commit.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// fsync: synchronous_commit on. Buffered: off, what it commits is written within 0.6 s, and a crash of the
// server can lose it.
std::unique_ptr<Service> start_postgresql(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
