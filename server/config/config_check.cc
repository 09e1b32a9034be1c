#include "server/config/config_check.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <set>
#include <system_error>

#include "holdfast/limits.h"
#include "schema/transport/address.h"
#include "server/access/exposure.h"
#include "server/alerts/webhook_writer.h"
#include "server/archive/archive.h"
#include "server/config/values.h"
#include "server/monitor/http_listener.h"

namespace holdfast::server {
namespace {

namespace fs = std::filesystem;
using boost::asio::ip::tcp;
using transport::Address;

tl::unexpected<Error> wrong(const std::string& option, const fs::path& path, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, option + ": '" + path.string() + "' " + what);
}

// Checks the length of a path for its file system. The path is taken as it is, since its directories may not
// exist yet.
Result<void> check_length(const std::string& option, const fs::path& path) {
  const auto too_long = [](const fs::path& name) { return name.native().size() > NAME_MAX; };
  if (path.native().size() < PATH_MAX && std::ranges::none_of(path, too_long)) return {};
  return wrong(option, path, "cannot be used: " + std::system_category().message(ENAMETOOLONG));
}

Result<void> check_access(const std::string& option, const fs::path& path, int mode) {
  if (::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0) return {};
  return wrong(option, path, "cannot be used: " + std::system_category().message(errno));
}

Result<void> check_directory(const std::string& option, const fs::path& path) {
  std::error_code failure;
  if (fs::exists(path, failure) && !fs::is_directory(path, failure))
    return wrong(option, path, "is not a directory");
  return check_access(option, path, R_OK | W_OK | X_OK);
}

// Checks the directory or, if it does not exist, the nearest one above it that does.
Result<void> check_data(const fs::path& data) {
  std::error_code failure;
  fs::path path = fs::absolute(data, failure);
  if (auto ok = check_length("data", path); !ok) return ok;
  while (!fs::exists(fs::symlink_status(path, failure)) && path != path.root_path())
    path = path.parent_path();
  return check_directory("data", path);
}

// Checks that there is no file of another type at the path, and that its directory exists, unless that is the
// data directory.
Result<void> check_place(const std::string& option, const fs::path& file, fs::file_type type,
                         const fs::path& data) {
  if (auto ok = check_length(option, file); !ok) return ok;
  std::error_code failure;
  const auto status = fs::symlink_status(file, failure);
  if (fs::exists(status) && status.type() != type)
    return wrong(option, file, type == fs::file_type::socket ? "is not a socket" : "is not a file");
  if (fs::exists(status)) return check_access(option, file, R_OK | W_OK);
  const fs::path directory = fs::absolute(file, failure).parent_path();
  const bool to_be_made = !fs::exists(directory, failure) &&
                          fs::weakly_canonical(directory, failure) == fs::weakly_canonical(data, failure);
  return to_be_made ? Result<void>() : check_directory(option, directory);
}

// Warns if others may read a directory. Directories for messages are made for their owner alone, but one that
// was made earlier, or by somebody else, is not changed.
void warn_if_open(const std::string& option, const fs::path& directory, std::vector<std::string>& warnings) {
  struct stat info {};
  if (directory.empty() || ::stat(directory.c_str(), &info) != 0) return;
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  constexpr mode_t kPermissions = S_IRWXU | S_IRWXG | S_IRWXO;
  warnings.push_back(
      fmt::format("{}: '{}' is open to other users than its owner (mode {:04o}): chmod 700 '{}'", option,
                  directory.string(), info.st_mode & kPermissions, directory.string()));
}

class AddressCheck {
 public:
  AddressCheck(const Config& config, const Credentials& credentials)
      : config_(config), options_(config.server) {
    options_.tokens = credentials.tokens;
    options_.tls = credentials.tls;
  }

  Result<void> listen(const std::string& text) {
    const auto address = transport::parse_address(text);
    if (!address) return fail(address.error().code, "listen: " + address.error().message);
    if (address->kind == Address::Kind::kUnix) {
      if (!taken_.insert(address->path).second) return twice("listen", text);
      return check_place("listen", address->path, fs::file_type::socket, config_.data);
    }
    return listen_tcp("listen", *address);
  }

  Result<void> http(const std::string& text) {
    const auto address = transport::parse_address(text);
    if (!address) return fail(address.error().code, "http-listen: " + address.error().message);
    if (address->kind != Address::Kind::kUnix) return listen_tcp("http-listen", *address);
    return fail(ErrorCode::kInvalidArgument, "http-listen: " + text + " is not host:port");
  }

  Result<void> metrics(const std::string& text) {
    const auto endpoint = http_endpoint(text, options_.allow_insecure);
    if (!endpoint) return tl::unexpected(endpoint.error());
    return take(*endpoint) ? Result<void>() : twice("metrics-listen", text);
  }

 private:
  Result<void> listen_tcp(const std::string& option, const Address& address) {
    const auto endpoint = endpoint_of(address, option);
    if (!endpoint) return tl::unexpected(endpoint.error());
    if (!take(*endpoint)) return twice(option, to_string(address));
    return check_exposure(address, *endpoint, option, options_);
  }

  static Result<void> twice(const std::string& option, const std::string& text) {
    return fail(ErrorCode::kInvalidArgument, option + ": " + text + " is given twice");
  }

  bool take(const tcp::endpoint& endpoint) {
    const auto port = std::to_string(endpoint.port());
    return endpoint.port() == 0 || taken_.insert(endpoint.address().to_string() + ' ' + port).second;
  }

  const Config& config_;
  ServerOptions options_;
  std::set<std::string> taken_;
};

Result<void> check_addresses(const Config& config, const Credentials& credentials) {
  AddressCheck check(config, credentials);
  for (const std::string& text : config.server.listen) {
    if (auto ok = check.listen(text); !ok) return ok;
  }
  for (const std::string& text : config.server.http_listen) {
    if (auto ok = check.http(text); !ok) return ok;
  }
  return config.metrics_listen.empty() ? Result<void>() : check.metrics(config.metrics_listen);
}

// Refuses what Engine::open() would refuse, in the words of the options.
Result<void> check_reserve(const Config& config) {
  const std::uint64_t reserve = config.free_space_reserve;
  const std::uint64_t least = limits::kReserveWriteBuffers * config.write_buffer;
  if (reserve == 0 || reserve >= least) return {};
  return fail(ErrorCode::kInvalidArgument,
              "free-space-reserve: " + size_text(reserve) + " is less than " +
                  std::to_string(limits::kReserveWriteBuffers) + " times the write-buffer of " +
                  size_text(config.write_buffer) +
                  "; flushes and compactions need that much, and sends would use it up");
}

Result<void> check_webhook(const WebhookOptions& webhook) {
  if (webhook.deaths && webhook.url.empty())
    return fail(ErrorCode::kInvalidArgument, "alert-webhook-deaths: alert-webhook is not set");
  if (webhook.shape != WebhookShape::kJson && webhook.url.empty())
    return fail(ErrorCode::kInvalidArgument, "alert-webhook-shape: alert-webhook is not set");
  auto writer = WebhookWriter::make(webhook);
  return writer ? Result<void>() : tl::unexpected(writer.error());
}

}  // namespace

Result<Credentials> check_config(const Config& config) {
  auto credentials = load_credentials(config);
  if (!credentials) return credentials;
  if (auto ok = check_addresses(config, *credentials); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_webhook(config.webhook); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_archive(config.archive, credentials->warnings); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_reserve(config); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_data(config.data); !ok) return tl::unexpected(ok.error());
  warn_if_open("data", config.data, credentials->warnings);
  warn_if_open("backups", config.server.backups, credentials->warnings);
  if (config.pid_file.empty()) return credentials;
  if (auto ok = check_place("pid-file", config.pid_file, fs::file_type::regular, config.data); !ok)
    return tl::unexpected(ok.error());
  return credentials;
}

}  // namespace holdfast::server
