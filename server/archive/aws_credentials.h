// AwsCredentials are the keys with which requests to S3 are signed.
#pragma once

#include <filesystem>
#include <string>

#include "holdfast/error.h"

namespace holdfast::server {

struct AwsCredentials {
  std::string key_id;
  std::string secret;
  std::string session_token = {};  // only with temporary keys
};

// Reads keys from a file as the AWS tools write it: aws_access_key_id, aws_secret_access_key and perhaps
// aws_session_token, each with " = " and its value, under [default] or under no heading. If the path is
// empty, the keys come from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
// kInvalidArgument; the error repeats nothing secret.
Result<AwsCredentials> load_aws_credentials(const std::filesystem::path& file);

}  // namespace holdfast::server
