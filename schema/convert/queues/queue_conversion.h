// Converts the calls that declare and describe queues between the API and the protocol. The string views in
// calls point into the request.
#pragma once

#include <string_view>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/wire/queue.capnp.h"

namespace holdfast::convert {

struct CreateQueueCall {
  std::string_view name;
  QueueOptions options;
  MissingQueues missing{};
};

struct AlterQueueCall {
  std::string_view name;
  QueueChanges changes;
  MissingQueues missing{};
};

struct PauseCall {
  std::string_view name;
  Pause what;
};

void write(const QueueOptions& from, wire::QueueOptions::Builder to);
Result<QueueOptions> read(wire::QueueOptions::Reader from);

void write(const QueueInfo& from, wire::QueueInfo::Builder to);
Result<QueueInfo> read(wire::QueueInfo::Reader from);

void write(std::string_view name, const QueueOptions& options, MissingQueues missing,
           wire::CreateQueueRequest::Builder to);
Result<CreateQueueCall> read(wire::CreateQueueRequest::Reader from);

void write(std::string_view name, const QueueChanges& changes, MissingQueues missing,
           wire::AlterQueueRequest::Builder to);
Result<AlterQueueCall> read(wire::AlterQueueRequest::Reader from);

void write(std::string_view name, Pause what, wire::PauseRequest::Builder to);
PauseCall read(wire::PauseRequest::Reader from);

// Writes a request to delete the queue whatever its version is.
void write(std::string_view name, wire::DeleteQueueRequest::Builder to);

void write(std::string_view name, wire::QueueRequest::Builder to);
std::string_view read(wire::QueueRequest::Reader from);

void write(const Result<QueueDeclared>& from, wire::DeclareReply::Builder to);
Result<QueueDeclared> read(wire::DeclareReply::Reader from);

void write(const Result<void>& from, wire::EmptyReply::Builder to);
Result<void> read(wire::EmptyReply::Reader from);

void write(const Result<std::uint64_t>& from, wire::PurgeReply::Builder to);
Result<std::uint64_t> read(wire::PurgeReply::Reader from);

void write(const Result<QueueInfo>& from, wire::DescribeReply::Builder to);
Result<QueueInfo> read(wire::DescribeReply::Reader from);

void write(const Result<std::vector<QueueInfo>>& from, wire::ListQueuesReply::Builder to);
Result<std::vector<QueueInfo>> read(wire::ListQueuesReply::Reader from);

}  // namespace holdfast::convert
