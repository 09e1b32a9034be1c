// Archives dead letters in a bucket of Amazon S3, or of what speaks the same.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "holdfast/archive_sink.h"
#include "schema/http/caller.h"
#include "server/archive/archive_place.h"
#include "server/archive/aws_credentials.h"

namespace holdfast::server {

struct S3Options {
  std::string region;
  std::function<Result<AwsCredentials>()> credentials;  // asked for with each batch, for they change
  Duration timeout = std::chrono::seconds(60);          // of each try
  int tries = 3;
  Duration backoff = std::chrono::seconds(1);  // after the first try, doubling
  const Clock* clock = &system_clock();        // what requests are signed with
};

// Each batch is an object, PREFIX/QUEUE/NAME.jsonl.zst, that `holdfast dlq import` reads: put there by one
// PUT, which is signed with what it brings. The same batch replaces itself.
class S3Sink final : public ArchiveSink {
 public:
  S3Sink(S3Place place, S3Options options);

  // kUnavailable, with what the other side answered.
  Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) override;

 private:
  Result<http::Answer> put(const AwsCredentials& keys, const std::string& path, const std::string& bytes,
                           const std::stop_token& stop) const;

  const S3Place place_;
  const S3Options options_;
};

}  // namespace holdfast::server
