// This header has PostgreSQL with a table as a queue, over a Unix socket. A batch is inserted in one
// transaction. A consumer deletes what it takes with FOR UPDATE SKIP LOCKED, in a transaction that ends after
// it has it: receive and ack are one commit.
#pragma once

#include <filesystem>
#include <memory>

#include "bench/pipeline/service.h"

namespace holdfast::bench {

// Starts PostgreSQL. With kFsync, synchronous_commit is on. With kBuffered it is off: a commit is written
// within 0.6 s, and a crash of the server can lose it.
std::unique_ptr<Service> start_postgresql(const std::filesystem::path& directory, Durability durability);

}  // namespace holdfast::bench
