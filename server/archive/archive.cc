#include "server/archive/archive.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "server/archive/archive_place.h"
#include "server/archive/aws_credentials.h"
#include "server/archive/command_sink.h"
#include "server/archive/s3_sink.h"

namespace holdfast::server {
namespace {

tl::unexpected<Error> wrong_option(const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, "archive-to: " + what);
}

// Checks the directory or, if it does not exist, the nearest one above it that does.
Result<void> check(const DirectoryPlace& place) {
  std::error_code failure;
  std::filesystem::path path = std::filesystem::absolute(place.directory, failure);
  while (!std::filesystem::exists(path, failure) && path != path.root_path()) path = path.parent_path();
  if (!std::filesystem::is_directory(path, failure))
    return wrong_option("'" + path.string() + "' is not a directory");
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return {};
  return wrong_option("'" + path.string() + "' cannot be used: " + std::generic_category().message(errno));
}

Result<void> check(const CommandPlace& place) {
  if (auto ok = check_program(place.words[0]); !ok) return wrong_option(ok.error().message);
  return {};
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<void> check(const S3Place& place, const ArchiveOptions& options, std::vector<std::string>& warnings) {
  if (!place.url.tls && !is_loopback(place.url.host))
    warnings.push_back("archive-to: dead letters go to " + place.url.host +
                       " unencrypted; https:// would encrypt them");
  const auto keys = load_aws_credentials(options.credentials);
  return keys ? Result<void>() : tl::unexpected(keys.error());
}

}  // namespace

Result<void> check_archive(const ArchiveOptions& options, std::vector<std::string>& warnings) {
  if (options.to.empty()) {
    if (options.credentials.empty()) return {};
    return fail(ErrorCode::kInvalidArgument,
                "archive-credentials: only an s3: place uses them, and archive-to names none");
  }
  const auto place = parse_archive_place(options.to);
  if (!place) return wrong_option(place.error().message);
  const auto* s3 = std::get_if<S3Place>(&*place);
  if (s3 != nullptr) return check(*s3, options, warnings);
  if (!options.credentials.empty())
    return fail(ErrorCode::kInvalidArgument,
                "archive-credentials: only an s3: place uses them, and archive-to names none");
  if (const auto* directory = std::get_if<DirectoryPlace>(&*place)) return check(*directory);
  return check(std::get<CommandPlace>(*place));
}

Result<void> set_archive(const ArchiveOptions& options, EngineOptions& engine) {
  if (options.to.empty()) return {};
  auto place = parse_archive_place(options.to);
  if (!place) return wrong_option(place.error().message);
  if (auto* directory = std::get_if<DirectoryPlace>(&*place)) {
    engine.archive_directory = directory->directory;
  } else if (auto* command = std::get_if<CommandPlace>(&*place)) {
    engine.archive = std::make_shared<CommandSink>(std::move(command->words), options.timeout);
  } else {
    engine.archive = std::make_shared<S3Sink>(
        std::get<S3Place>(*std::move(place)),
        S3Options{.region = options.region,
                  .credentials = [file = options.credentials] { return load_aws_credentials(file); },
                  .timeout = options.timeout});
  }
  return {};
}

}  // namespace holdfast::server
