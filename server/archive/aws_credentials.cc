#include "server/archive/aws_credentials.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

namespace holdfast::server {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

Result<AwsCredentials> of_environment() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing sets variables
    return std::string(text == nullptr ? "" : text);
  };
  AwsCredentials keys{.key_id = value("AWS_ACCESS_KEY_ID"),
                      .secret = value("AWS_SECRET_ACCESS_KEY"),
                      .session_token = value("AWS_SESSION_TOKEN")};
  if (!keys.key_id.empty() && !keys.secret.empty()) return keys;
  return fail(ErrorCode::kInvalidArgument,
              "S3 needs credentials: archive-credentials names a file, or the environment has "
              "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
}

// Reads a line. Returns false if a file of the AWS tools has no such line.
bool read_line(std::string_view line, AwsCredentials& keys) {
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos) return line == "[default]";
  const std::string_view name = trimmed(line.substr(0, sign));
  const std::string_view value = trimmed(line.substr(sign + 1));
  if (name == "aws_access_key_id") keys.key_id = value;
  if (name == "aws_secret_access_key") keys.secret = value;
  if (name == "aws_session_token") keys.session_token = value;
  return true;  // the AWS tools have other settings too
}

}  // namespace

Result<AwsCredentials> load_aws_credentials(const std::filesystem::path& file) {
  if (file.empty()) return of_environment();
  const auto wrong = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, "archive-credentials: '" + file.string() + "' " + what);
  };
  std::ifstream in(file);
  if (!in) return wrong("cannot be read: " + std::generic_category().message(errno));
  AwsCredentials keys;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::string_view text = trimmed(line);
    if (text.empty() || text.starts_with('#')) continue;
    if (!read_line(text, keys))
      return wrong("has a line that is neither NAME = VALUE nor [default]: line " + std::to_string(number));
  }
  if (keys.key_id.empty()) return wrong("has no aws_access_key_id");
  if (keys.secret.empty()) return wrong("has no aws_secret_access_key");
  return keys;
}

}  // namespace holdfast::server
