#include "server/config/options.h"

#include <algorithm>

#include "schema/http/url.h"
#include "schema/transport/address.h"
#include "server/access/users.h"
#include "server/archive/archive_place.h"
#include "server/config/option_access.h"

namespace holdfast::server {
namespace {

constexpr std::string_view kServing = "Serving";
constexpr std::string_view kStoring = "Storing";
constexpr std::string_view kWatching = "Watching";
constexpr std::string_view kLimits = "Limits";

constexpr std::uint64_t kMaxThreads = 256;
constexpr std::uint64_t kMany = 1'000'000'000;
constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::uint64_t kDay = 24UL * 60 * 60;  // in seconds

enum class Reloads : bool { kNo, kYes };

Option option(std::string_view name, Shape shape, std::string_view value_name, std::string_view group,
              std::string_view help, Reloads reloads, const access::Access& how) {
  return {name, shape, value_name, group, help, reloads == Reloads::kYes, how.set, how.get};
}

Result<void> check_address(const std::string& text) {  // checked before a data directory is made for nothing
  auto address = transport::parse_address(text);
  if (!address) return tl::unexpected(address.error());
  return {};
}

Result<void> check_host(const std::string& text) {
  constexpr std::string_view kNoName = ":/[] \t";  // a name has no port
  if (!text.empty() && text.find_first_of(kNoName) == std::string::npos) return {};
  return wrong_value(text, "is not the name of a host");
}

Result<void> check_user(const std::string& text) {
  auto user = find_user(text);
  if (!user) return tl::unexpected(user.error());
  return {};
}

Result<void> check_origin(const std::string& text) {
  auto url = http::parse_url(text);
  if (!url) return tl::unexpected(url.error());
  const bool has_path = std::ranges::count(text, '/') > 2;
  return has_path ? wrong_value(text, "is not an origin, which ends with the host or the port")
                  : Result<void>();
}

Result<void> check_account(const std::string& text) {
  constexpr std::size_t kDigits = 12;
  const bool is_account = text.size() == kDigits && text.find_first_not_of("0123456789") == std::string::npos;
  return is_account ? Result<void>() : wrong_value(text, "is not an account, which has 12 digits");
}

Result<void> check_region(const std::string& text) {
  const bool is_region =
      !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
  return is_region ? Result<void>() : wrong_value(text, "is not a region, such as us-east-1");
}

Result<void> check_archive_place(const std::string& text) {
  auto place = parse_archive_place(text);
  if (!place) return tl::unexpected(place.error());
  return {};
}

Result<void> check_url(const std::string& text) {
  auto url = http::parse_url(text);
  if (!url) return tl::unexpected(url.error());
  return {};
}

// A member of a member has no pointer to member, so the field is a function.
#define FIELD(member) ([](Config & config) -> auto& { return config.member; })

std::vector<Option> make_table() {
  const std::vector<std::pair<std::string, LogFormat>> formats = {{"text", LogFormat::kText},
                                                                  {"json", LogFormat::kJson}};
  const std::vector<std::pair<std::string, WebhookShape>> shapes = {{"json", WebhookShape::kJson},
                                                                    {"slack", WebhookShape::kSlack},
                                                                    {"pagerduty", WebhookShape::kPagerDuty},
                                                                    {"template", WebhookShape::kTemplate}};
  using access::choice, access::list, access::millis, access::number, access::path, access::seconds,
      access::size, access::text, access::toggle;
  const std::vector<std::pair<std::string, spdlog::level::level_enum>> levels = {
      {"debug", spdlog::level::debug},
      {"info", spdlog::level::info},
      {"warning", spdlog::level::warn},
      {"error", spdlog::level::err}};
  return {
      option("data", Shape::kText, "DIR", kStoring, "Data directory; created if it is missing", Reloads::kNo,
             path(FIELD(data))),
      option("free-space-reserve", Shape::kSize, "SIZE", kStoring,
             "Refuse sends, but not acks, when less space than this is free on the device; 0: never. At "
             "least four times the write buffer",
             Reloads::kNo, size(FIELD(free_space_reserve), 0)),
      option("write-buffer", Shape::kSize, "SIZE", kStoring,
             "Memory for changes that are not in tables yet; a start reads about as much of the log",
             Reloads::kNo, size(FIELD(write_buffer), kMebibyte)),
      option("backups", Shape::kText, "DIR", kStoring,
             "Directory in which clients may make backups ('holdfast backup'); without it they may make none",
             Reloads::kNo, path(FIELD(server.backups))),
      option("archive-to", Shape::kText, "PLACE", kStoring,
             "Where dead letters are archived before retention deletes them: directory:DIR, command:PROGRAM "
             "(without a shell), shell:COMMAND or s3:https://HOST/BUCKET[/PREFIX]; without it DATA/archive",
             Reloads::kNo, text(FIELD(archive.to), check_archive_place)),
      option("archive-credentials", Shape::kText, "FILE", kStoring,
             "With an s3: place: the file of keys, as the AWS tools write it; without it, the environment's "
             "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
             Reloads::kNo, path(FIELD(archive.credentials))),
      option("archive-region", Shape::kText, "NAME", kStoring,
             "With an s3: place: the region that requests are signed for", Reloads::kNo,
             text(FIELD(archive.region), check_region)),
      option("archive-timeout", Shape::kNumber, "SECONDS", kStoring,
             "The longest time that a command, or one attempt to upload to S3, may take for a batch",
             Reloads::kNo, seconds(FIELD(archive.timeout), 1, kDay)),
      option("listen", Shape::kList, "ADDR", kServing,
             "Where clients connect: host:port (port 0: any free one), tls://host:port or unix:/path. "
             "Repeatable",
             Reloads::kNo, list(FIELD(server.listen), check_address)),
      option("http-listen", Shape::kList, "ADDR", kServing,
             "Where clients connect with HTTP, also for /metrics, /healthz and /readyz: host:port or "
             "tls://host:port; without it, nowhere. Repeatable",
             Reloads::kNo, list(FIELD(server.http_listen), check_address)),
      option("http-host", Shape::kList, "NAME", kServing,
             "A host name under which HTTP clients may call the server, besides IP addresses and localhost; "
             "other names are refused. Repeatable",
             Reloads::kNo, list(FIELD(server.http_names.hosts), check_host)),
      option("http-cors-origin", Shape::kList, "ORIGIN", kServing,
             "Origin whose web pages may use the HTTP port from a browser: https://host[:port]; without it, "
             "only pages of the port itself may. Repeatable",
             Reloads::kNo, list(FIELD(server.http_names.cors_origins), check_origin)),
      option("sqs-account", Shape::kText, "DIGITS", kServing,
             "The account in URLs and ARNs of queues, for clients of Amazon SQS on the HTTP port: 12 digits",
             Reloads::kNo, text(FIELD(server.sqs.account), check_account)),
      option("sqs-region", Shape::kText, "NAME", kServing,
             "The region in ARNs of queues, for clients of Amazon SQS on the HTTP port", Reloads::kNo,
             text(FIELD(server.sqs.region), check_region)),
      option("sqs-cooldown", Shape::kNumber, "SECONDS", kServing,
             "How long a client of Amazon SQS must wait after it deleted a queue before it can create the "
             "queue again, and between two purges of one queue; 0: not at all",
             Reloads::kNo, seconds(FIELD(server.sqs.cooldown), 0, kDay)),
      option("allow-insecure", Shape::kSwitch, "", kServing,
             "Listen on addresses that other machines reach, even without TLS, or without tokens and client "
             "certificates",
             Reloads::kNo, toggle(FIELD(server.allow_insecure))),
      option("tokens", Shape::kText, "FILE", kServing,
             "File of tokens that identify clients and say what they may do; see holdfast-token. Without it, "
             "every client may do everything",
             Reloads::kYes, path(FIELD(tokens))),
      option("tls-certificate", Shape::kText, "FILE", kServing,
             "The server's certificate for tls:// addresses, followed by any intermediate certificates: PEM",
             Reloads::kYes, path(FIELD(tls.certificate))),
      option("tls-key", Shape::kText, "FILE", kServing,
             "The certificate's private key: PEM, without a password", Reloads::kYes, path(FIELD(tls.key))),
      option("tls-client-ca", Shape::kText, "FILE", kServing,
             "Certificate of the authority that signs the certificates of clients: PEM. With it, every "
             "client of a tls:// address needs a certificate; without it, none does",
             Reloads::kYes, path(FIELD(tls.ca))),
      option("allow-user", Shape::kList, "USER", kServing,
             "Another user whose processes may connect to Unix sockets, by name or number; the server's own "
             "user and root always may. Repeatable",
             Reloads::kNo, list(FIELD(server.users), check_user)),
      option("stop-timeout", Shape::kNumber, "SECONDS", kServing,
             "After SIGTERM, how long clients may settle what they hold and calls in flight may finish",
             Reloads::kYes, seconds(FIELD(stop_timeout), 0, kDay)),
      option("io-threads", Shape::kNumber, "N", kServing,
             "Threads that serve clients; each client stays with one", Reloads::kNo,
             number(FIELD(server.io_threads), 1, kMaxThreads)),
      option("pid-file", Shape::kText, "FILE", kServing,
             "File that records the process id while the server runs; a leftover file is replaced",
             Reloads::kNo, path(FIELD(pid_file))),
      option("log-format", Shape::kText, "FORMAT", kServing, "text, or json: one object per line",
             Reloads::kNo, choice(FIELD(log_format), formats)),
      option("slow-call", Shape::kNumber, "MILLISECONDS", kServing,
             "Log calls that took at least this long, except calls that wait, such as receive, and long "
             "calls, such as verify; 0: none",
             Reloads::kYes, millis(FIELD(server.slow_call), 0, kMany)),
      option("log-level", Shape::kText, "LEVEL", kServing, "debug, info, warning or error", Reloads::kYes,
             choice(FIELD(log_level), levels)),
      option("metrics-listen", Shape::kText, "ADDR", kWatching,
             "Where HTTP clients get /metrics (Prometheus), /healthz and /readyz: host:port; without it, "
             "nowhere",
             Reloads::kNo, text(FIELD(metrics_listen), check_address)),
      option("metrics-host", Shape::kList, "NAME", kWatching,
             "A host name under which HTTP clients may call the address of metrics-listen, besides the name "
             "there, IP addresses and localhost; other names are refused. Repeatable",
             Reloads::kNo, list(FIELD(metrics_hosts), check_host)),
      option("metrics-queues", Shape::kNumber, "N", kWatching,
             "How many queues, the first by name, have numbers of their own in /metrics", Reloads::kNo,
             number(FIELD(server.metrics_queues), 0, kMany)),
      option("alert-webhook", Shape::kText, "URL", kWatching,
             "POST JSON here when an alert rule fires or clears: http:// or https://", Reloads::kNo,
             text(FIELD(webhook.url), check_url)),
      option("alert-webhook-deaths", Shape::kSwitch, "", kWatching,
             "Also POST an event for each message that dies", Reloads::kNo, toggle(FIELD(webhook.deaths))),
      option("alert-webhook-shape", Shape::kText, "SHAPE", kWatching,
             "Format of what is POSTed: json (one object with all fields), slack, pagerduty (Events API v2), "
             "or template",
             Reloads::kNo, choice(FIELD(webhook.shape), shapes)),
      option("alert-webhook-key", Shape::kText, "FILE", kWatching,
             "With shape pagerduty: a file that contains only the integration key", Reloads::kNo,
             path(FIELD(webhook.key))),
      option("alert-webhook-template", Shape::kText, "FILE", kWatching,
             "With shape template: a file of JSON in which {{summary}}, {{queue}} and the like stand for an "
             "event's fields",
             Reloads::kNo, path(FIELD(webhook.template_file))),
      option("max-connections", Shape::kNumber, "N", kLimits,
             "Clients at a time; the server closes further connections", Reloads::kYes,
             number(FIELD(server.limits.max_connections), 1, kMany)),
      option("max-unauthenticated", Shape::kNumber, "N", kLimits,
             "Clients at a time that have not shown a token, or are in a TLS handshake, and never more than "
             "half of max-connections; beyond that, the server closes the oldest of these",
             Reloads::kYes, number(FIELD(server.limits.max_unauthenticated), 1, kMany)),
      option("max-unauthenticated-per-host", Shape::kNumber, "N", kLimits,
             "Unauthenticated clients from one address, and never more than half of max-unauthenticated; "
             "beyond that, the server closes the oldest of these",
             Reloads::kYes, number(FIELD(server.limits.max_unauthenticated_per_host), 1, kMany)),
      option("max-unfinished-calls", Shape::kNumber, "N", kLimits,
             "Calls of a connection that are in flight, or answered and not finished by the client; the "
             "server closes a connection with more",
             Reloads::kYes, number(FIELD(server.limits.max_unfinished_calls), 1, kMany)),
      option("max-calls", Shape::kNumber, "N", kLimits,
             "Calls in flight per connection; more are answered with 'overloaded'", Reloads::kYes,
             number(FIELD(server.limits.max_calls), 1, kMany)),
      option("max-send-bytes", Shape::kSize, "SIZE", kLimits,
             "Messages being sent per connection; more are answered with 'overloaded'", Reloads::kYes,
             size(FIELD(server.limits.max_send_bytes), 1)),
      option("max-unread-bytes", Shape::kSize, "SIZE", kLimits,
             "Replies that a connection has not read, or not finished; deliveries and lists beyond that are "
             "answered with 'overloaded'",
             Reloads::kYes, size(FIELD(server.limits.max_unread_bytes), 1)),
      option("max-total-send-bytes", Shape::kSize, "SIZE", kLimits,
             "Messages being sent by all clients; more are answered with 'overloaded'. If messages that have "
             "arrived only in part are more than this, the server closes the client with the largest",
             Reloads::kYes, size(FIELD(server.limits.max_total_send_bytes), 1)),
      option("greeting-timeout", Shape::kNumber, "SECONDS", kLimits,
             "Close the connection of a client that has not sent a complete message this long after it "
             "connected",
             Reloads::kYes, seconds(FIELD(server.limits.greeting_timeout), 1, kDay)),
      option("stall-timeout", Shape::kNumber, "SECONDS", kLimits,
             "Close the connection of a client that has read none of its pending data for this long, or that "
             "has sent less than 4 KiB of an unfinished message in that time",
             Reloads::kYes, seconds(FIELD(server.limits.stall_timeout), 1, kDay)),
      option("idle-timeout", Shape::kNumber, "SECONDS", kLimits,
             "Close the connection of a client that has had no call in flight for this long; 0: never",
             Reloads::kYes, seconds(FIELD(server.limits.idle_timeout), 0, kDay)),
  };
}

#undef FIELD

}  // namespace

std::span<const Option> option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

const Option* find_option(std::string_view name) {
  const auto table = option_table();
  const auto found = std::ranges::find(table, name, &Option::name);
  return found == table.end() ? nullptr : &*found;
}

std::string variable_of(const Option& option) {
  std::string name = "HOLDFAST_";
  for (const char c : option.name) name += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  return name;
}

}  // namespace holdfast::server
