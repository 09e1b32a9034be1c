#include "convert/operations.h"

#include <algorithm>
#include <filesystem>

#include "convert/queue.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

// Where a client's backup goes: below the server's directory for them, whatever the name says.
Result<std::filesystem::path> backup_path(const std::filesystem::path& root,
                                          const std::filesystem::path& name) {
  if (root.empty()) {
    return fail(ErrorCode::kPermissionDenied,
                "this server makes no backups for clients; start it with --backups DIR");
  }
  const bool outside = name.is_absolute() || std::ranges::find(name, "..") != name.end();
  if (!outside) return root / name;
  return fail(ErrorCode::kInvalidArgument,
              "directory '" + name.string() + "' is not a name below the server's directory for backups");
}

}  // namespace

kj::Promise<void> BrokerService::backup(BackupContext context) {
  auto call = convert::read(context.getParams());
  auto path = backup_path(state_.options.backups, call.directory);
  if (!path) return answer_now<Result<BackupInfo>>(*peer_, context, tl::unexpected(path.error()));
  auto work = [&engine = state_.engine, path = std::move(*path), options = call.options] {
    return engine.backup(path, options);
  };
  return answer_blocking<Result<BackupInfo>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::verify(VerifyContext context) {
  auto work = [&engine = state_.engine] { return engine.verify(); };
  return answer_blocking<Result<VerifyReport>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::statistics(StatisticsContext context) {
  auto work = [&engine = state_.engine] { return engine.statistics(); };
  return answer_blocking<Result<EngineStatistics>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::queueStatistics(QueueStatisticsContext context) {
  auto work = [&engine = state_.engine, name = std::string(convert::read(context.getParams()))] {
    return engine.queue_statistics(name);
  };
  return answer_blocking<Result<QueueStatistics>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::compact(CompactContext context) {
  auto work = [&engine = state_.engine, name = std::string(convert::read(context.getParams()))] {
    return engine.compact(name);
  };
  return answer_blocking<Result<void>>(*peer_, context, std::move(work));
}

}  // namespace holdfast::server
