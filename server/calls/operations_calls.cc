#include "schema/convert/queues/operations.h"

#include <algorithm>
#include <filesystem>

#include "schema/convert/queues/queue.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"
#include "server/logging/console.h"

namespace holdfast::server {
namespace {

namespace fs = std::filesystem;

// What a symbolic link would lead to is not the server's to write to, nor to delete old backups from. Only
// the server's user can put one there, so that it does not come between this look and the backup.
bool passes_link(fs::path at, const fs::path& name) {
  std::error_code failure;
  return std::ranges::any_of(name, [&](const fs::path& part) {
    at /= part;
    return fs::is_symlink(fs::symlink_status(at, failure));
  });
}

// What RocksDB's backups are made of. The same holds for what lies in them.
bool holds_link(const fs::path& backup) {
  for (const char* part : {"meta", "private", "shared", "shared_checksum"}) {
    std::error_code failure;
    if (fs::is_symlink(fs::symlink_status(backup / part, failure))) return true;
    for (fs::recursive_directory_iterator entry(backup / part, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      if (entry->is_symlink(failure)) return true;
    }
  }
  return false;
}

// Where a client's backup goes: below the server's directory for them, whatever the name says.
Result<std::filesystem::path> backup_path(const std::filesystem::path& root,
                                          const std::filesystem::path& name) {
  if (root.empty()) {
    return fail(ErrorCode::kPermissionDenied,
                "this server makes no backups for clients; start it with --backups DIR");
  }
  const bool outside = name.is_absolute() || std::ranges::find(name, "..") != name.end();
  if (!outside && !passes_link(root, name)) {
    if (!holds_link(root / name)) return root / name;
    return fail(ErrorCode::kInvalidArgument, "directory '" + escaped(name.string()) +
                                                 "' holds a symbolic link, which no backup is written past");
  }
  return fail(ErrorCode::kInvalidArgument, "directory '" + escaped(name.string()) +
                                               "' is not a name below the server's directory for backups");
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
