// Answers calls about the stored data: backups, checks, statistics and compactions. A client's backups stay
// below the server's own directory for them and pass no symbolic link, or a client could have any file of the
// server's user overwritten.
#include "schema/convert/queues/operations_conversion.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "schema/convert/queues/queue_conversion.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"
#include "server/logging/console.h"

namespace holdfast::server {
namespace {

namespace fs = std::filesystem;

// Returns whether the path leads through a symbolic link. What a link leads to is not the server's to write
// to, or to delete old backups from. Only the server's user can create a link here, so none appears between
// this look and the backup.
bool passes_link(fs::path at, const fs::path& name) {
  std::error_code failure;
  return std::ranges::any_of(name, [&](const fs::path& part) {
    at /= part;
    return fs::is_symlink(fs::symlink_status(at, failure));
  });
}

// Returns whether a directory that RocksDB's backups consist of is a symbolic link or contains one.
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

// Returns the directory for a client's backup. It lies below the server's directory for backups, whatever the
// name says.
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
                                                 "' contains a symbolic link, and backups follow none");
  }
  return fail(ErrorCode::kInvalidArgument, "directory '" + escaped(name.string()) +
                                               "' is not a name below the server's directory for backups");
}

kj::Promise<void> backup(Call<wire::BackupRequest, wire::BackupReply> call) {
  auto asked = read_request(call);
  auto path = backup_path(call->state().options.backups, asked.directory);
  if (!path) return answer_now<Result<BackupInfo>>(call, tl::unexpected(path.error()));
  auto work = [&engine = call->engine(), path = std::move(*path), options = asked.options] {
    return engine.backup(path, options);
  };
  return answer_lengthy<Result<BackupInfo>>(call, std::move(work));
}

kj::Promise<void> verify(Call<wire::VerifyRequest, wire::VerifyReply> call) {
  auto work = [&engine = call->engine()] { return engine.verify(); };
  return answer_lengthy<Result<VerifyReport>>(call, std::move(work));
}

kj::Promise<void> statistics(Call<wire::StatisticsRequest, wire::StatisticsReply> call) {
  auto work = [&engine = call->engine()] { return engine.statistics(); };
  return answer_blocking<Result<EngineStatistics>>(call, std::move(work));
}

kj::Promise<void> queue_statistics(Call<wire::QueueRequest, wire::QueueStatisticsReply> call) {
  auto work = [&engine = call->engine(), name = std::string(read_request(call))] {
    return engine.queue_statistics(name);
  };
  return answer_blocking<Result<QueueStatistics>>(call, std::move(work));
}

kj::Promise<void> compact(Call<wire::QueueRequest, wire::EmptyReply> call) {
  auto work = [&engine = call->engine(), name = std::string(read_request(call))] {
    return engine.compact(name);
  };
  return answer_lengthy<Result<void>>(call, std::move(work));
}

}  // namespace

std::span<const Method> operations_methods() {
  static const std::array methods = {
      method<backup>("backup", {Need::kAll, Right::kAdminister, Content::kNone}, {.takes_long = true}),
      method<verify>("verify", {Need::kAll, Right::kAdminister, Content::kNone}, {.takes_long = true}),
      method<statistics>("statistics", {Need::kAll, Right::kAdminister, Content::kNone}),
      method<queue_statistics>("queueStatistics", {Need::kQueues, Right::kOperate, Content::kNone},
                               {.shows_what_is_stored = true}),
      method<compact>("compact", {Need::kQueues, Right::kAdminister, Content::kNone}, {.takes_long = true}),
  };
  return methods;
}

}  // namespace holdfast::server
