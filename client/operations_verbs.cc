#include "client/impl.h"
#include "convert/operations.h"
#include "convert/queue.h"
#include "holdfast/limits.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

Result<BackupInfo> Client::backup(const std::filesystem::path& directory, BackupOptions options) {
  return impl_->call(
      Effect::kOnce, &Rpc::backupRequest,
      [&](wire::BackupRequest::Builder to) { convert::write(directory, options, to); },
      [](wire::BackupReply::Reader from, const Answer&) { return convert::read(from); }, limits::kWaitMax);
}

Result<VerifyReport> Client::verify() {
  return impl_->call(
      Effect::kNone, &Rpc::verifyRequest, [](wire::VerifyRequest::Builder) {},
      [](wire::VerifyReply::Reader from, const Answer&) { return convert::read(from); }, limits::kWaitMax);
}

Result<EngineStatistics> Client::statistics() {
  return impl_->call(
      Effect::kNone, &Rpc::statisticsRequest, [](wire::StatisticsRequest::Builder) {},
      [](wire::StatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<QueueStatistics> Client::queue_statistics(std::string_view queue) {
  return impl_->call(
      Effect::kNone, &Rpc::queueStatisticsRequest,
      [&](wire::QueueRequest::Builder to) { convert::write(queue, to); },
      [](wire::QueueStatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<void> Client::compact(std::string_view queue) {
  return impl_->call(
      Effect::kNone, &Rpc::compactRequest, [&](wire::QueueRequest::Builder to) { convert::write(queue, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); }, limits::kWaitMax);
}

}  // namespace holdfast
