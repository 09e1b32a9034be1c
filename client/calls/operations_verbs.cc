// ClientOperationVerbs makes backups, verifies, compacts, reads statistics and drains. Calls that go through
// all the data get the longest wait that there is. Calls about a drain only go to the server that drains,
// since its successor knows nothing of the drain.
#include "client/calls/call_sender.h"
#include "holdfast/limits.h"
#include "schema/convert/queues/operations_conversion.h"
#include "schema/convert/queues/queue_conversion.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

ClientCall<Result<BackupInfo>> ClientOperationVerbs::backup(const std::filesystem::path& directory,
                                                            BackupOptions options) const {
  return sender_.call(
      {.effect = Effect::kOnce, .wait = limits::kWaitMax}, &Rpc::backupRequest,
      [directory, options](wire::BackupRequest::Builder to) { convert::write(directory, options, to); },
      [](wire::BackupReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<VerifyReport>> ClientOperationVerbs::verify() const {
  return sender_.call(
      {.effect = Effect::kNone, .wait = limits::kWaitMax}, &Rpc::verifyRequest,
      [](wire::VerifyRequest::Builder) {},
      [](wire::VerifyReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<EngineStatistics>> ClientOperationVerbs::statistics() const {
  return sender_.call(
      {Effect::kNone}, &Rpc::statisticsRequest, [](wire::StatisticsRequest::Builder) {},
      [](wire::StatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<QueueStatistics>> ClientOperationVerbs::queue_statistics(std::string_view queue) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::queueStatisticsRequest,
      [queue = std::string(queue)](wire::QueueRequest::Builder to) { convert::write(queue, to); },
      [](wire::QueueStatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<void>> ClientOperationVerbs::compact(std::string_view queue) const {
  return sender_.call(
      {.effect = Effect::kNone, .wait = limits::kWaitMax}, &Rpc::compactRequest,
      [queue = std::string(queue)](wire::QueueRequest::Builder to) { convert::write(queue, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<DrainStatus>> ClientOperationVerbs::drain(DrainOptions options) const {
  // Another server may follow one that ends, and must not be ended too.
  const Effect effect = options.exit ? Effect::kOnce : Effect::kFenced;
  return sender_.call(
      {effect, client::Route::kServer}, &Rpc::drainRequest,
      [options](wire::DrainRequest::Builder to) { convert::write(options, to); },
      [](wire::DrainReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<DrainStatus>> ClientOperationVerbs::drain_status(Duration wait) const {
  return sender_.call(
      {Effect::kNone, client::Route::kServer, wait}, &Rpc::drainStatusRequest,
      [wait](wire::DrainStatusRequest::Builder to) { convert::write(wait, to); },
      [](wire::DrainReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<DrainStatus>> ClientOperationVerbs::resume() const {
  return sender_.call(
      {Effect::kFenced, client::Route::kServer}, &Rpc::resumeRequest, [](wire::ResumeRequest::Builder) {},
      [](wire::DrainReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
