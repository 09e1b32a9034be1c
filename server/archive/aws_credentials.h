// The keys that requests of S3 are signed with.
#pragma once

#include <filesystem>
#include <string>

#include "holdfast/error.h"

namespace holdfast::server {

struct AwsCredentials {
  std::string key_id;
  std::string secret;
  std::string session_token = {};  // of keys that hold for a time
};

// Of a file as the AWS tools write it: aws_access_key_id, aws_secret_access_key and perhaps
// aws_session_token, with " = " and their values, under [default] or under nothing. Without a path of the
// environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. kInvalidArgument, which repeats
// nothing of what is secret.
Result<AwsCredentials> load_aws_credentials(const std::filesystem::path& file);

}  // namespace holdfast::server
