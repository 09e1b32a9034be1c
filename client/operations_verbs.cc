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
      {.effect = Effect::kOnce, .wait = limits::kWaitMax}, &Rpc::backupRequest,
      [&](wire::BackupRequest::Builder to) { convert::write(directory, options, to); },
      [](wire::BackupReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<VerifyReport> Client::verify() {
  return impl_->call(
      {.effect = Effect::kNone, .wait = limits::kWaitMax}, &Rpc::verifyRequest,
      [](wire::VerifyRequest::Builder) {},
      [](wire::VerifyReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<EngineStatistics> Client::statistics() {
  return impl_->call(
      {Effect::kNone}, &Rpc::statisticsRequest, [](wire::StatisticsRequest::Builder) {},
      [](wire::StatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<QueueStatistics> Client::queue_statistics(std::string_view queue) {
  return impl_->call(
      {Effect::kNone}, &Rpc::queueStatisticsRequest,
      [&](wire::QueueRequest::Builder to) { convert::write(queue, to); },
      [](wire::QueueStatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<void> Client::compact(std::string_view queue) {
  return impl_->call(
      {.effect = Effect::kNone, .wait = limits::kWaitMax}, &Rpc::compactRequest,
      [&](wire::QueueRequest::Builder to) { convert::write(queue, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DrainStatus> Client::drain(DrainOptions options) {
  return impl_->call(
      {Effect::kFenced, client::Route::kDraining}, &Rpc::drainRequest,
      [&](wire::DrainRequest::Builder to) { convert::write(options, to); },
      [](wire::DrainReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DrainStatus> Client::drain_status(Duration wait) {
  return impl_->call(
      {Effect::kNone, client::Route::kDraining, wait}, &Rpc::drainStatusRequest,
      [&](wire::DrainStatusRequest::Builder to) { convert::write(wait, to); },
      [](wire::DrainReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DrainStatus> Client::resume() {
  return impl_->call(
      {Effect::kFenced, client::Route::kDraining}, &Rpc::resumeRequest, [](wire::ResumeRequest::Builder) {},
      [](wire::DrainReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
