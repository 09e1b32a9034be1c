// Archives dead letters in a bucket of Amazon S3, or of a service with the same protocol.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "holdfast/archive_sink.h"
#include "schema/http/http_client.h"
#include "server/archive/archive_place.h"
#include "server/archive/aws_credentials.h"

namespace holdfast::server {

struct S3Options {
  std::string region;
  // Returns the keys. The sink calls it for each batch, since keys change.
  std::function<Result<AwsCredentials>()> credentials;
  Duration timeout = std::chrono::seconds(60);  // for each try
  int tries = 3;
  Duration backoff = std::chrono::seconds(1);  // after the first try; it doubles with each further one
  const Clock* clock = &system_clock();        // the time with which requests are signed
};

// Each batch becomes an object, PREFIX/QUEUE/NAME.jsonl.zst, that `holdfast dlq import` reads. One PUT writes
// it, and the signature covers its content. The same batch replaces its own object.
class S3Sink final : public ArchiveSink {
 public:
  S3Sink(S3Place place, S3Options options);

  // Archives a batch. kUnavailable says what the other side answered.
  Result<void> write(const ArchiveBatch& batch, const std::stop_token& stop) override;

 private:
  Result<http::Answer> put(const AwsCredentials& keys, const std::string& path, const std::string& bytes,
                           const std::stop_token& stop) const;

  const S3Place place_;
  const S3Options options_;
};

}  // namespace holdfast::server
