// Converts backups, checks, statistics and draining between the API and the protocol.
#pragma once

#include <filesystem>

#include "holdfast/operations.h"
#include "holdfast/statistics.h"
#include "holdfast/wire/operations.capnp.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"

namespace holdfast::convert {

struct BackupCall {
  std::filesystem::path directory;
  BackupOptions options;
};

inline void write(const std::filesystem::path& directory, const BackupOptions& options,
                  wire::BackupRequest::Builder to) {
  to.setDirectory(as_text(directory.native()));
  to.setKeep(options.keep);
  to.setVerify(options.verify);
}
inline BackupCall read(wire::BackupRequest::Reader from) {
  return {.directory = string(from.getDirectory()),
          .options = {.keep = from.getKeep(), .verify = from.getVerify()}};
}
inline void write(const Result<BackupInfo>& from, wire::BackupReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setNumber(from->number);
  ok.setTakenAtMicros(micros(from->taken_at));
  ok.setBytes(from->bytes);
  ok.setFiles(from->files);
}
inline Result<BackupInfo> read(wire::BackupReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return BackupInfo{.number = ok.getNumber(),
                    .taken_at = timestamp(ok.getTakenAtMicros()),
                    .bytes = ok.getBytes(),
                    .files = ok.getFiles()};
}

void write(const Result<VerifyReport>& from, wire::VerifyReply::Builder to);
Result<VerifyReport> read(wire::VerifyReply::Reader from);

void write(const Result<EngineStatistics>& from, wire::StatisticsReply::Builder to);
Result<EngineStatistics> read(wire::StatisticsReply::Reader from);
void write(const Result<QueueStatistics>& from, wire::QueueStatisticsReply::Builder to);
Result<QueueStatistics> read(wire::QueueStatisticsReply::Reader from);

void write(const DrainOptions& options, wire::DrainRequest::Builder to);
// Returns kInvalidArgument if the timeout is out of range.
Result<DrainOptions> read(wire::DrainRequest::Reader from);
void write(Duration wait, wire::DrainStatusRequest::Builder to);
// Returns kInvalidArgument if the wait is out of range.
Result<Duration> read(wire::DrainStatusRequest::Reader from);
void write(const Result<DrainStatus>& from, wire::DrainReply::Builder to);
Result<DrainStatus> read(wire::DrainReply::Reader from);

}  // namespace holdfast::convert
