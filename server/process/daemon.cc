#include "server/process/daemon.h"

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>

#include "server/alerts/alert_log.h"
#include "server/alerts/webhook.h"
#include "server/archive/archive.h"
#include "server/config/config_check.h"
#include "server/logging/archive_log.h"
#include "server/logging/console.h"
#include "server/logging/drain_log.h"
#include "server/logging/health_log.h"
#include "server/logging/json_log.h"
#include "server/monitor/http_listener.h"
#include "server/net/server.h"
#include "server/process/descriptors.h"
#include "server/process/pid_file.h"
#include "server/process/reloader.h"
#include "server/process/service_manager.h"
#include "server/process/signals.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

// Watches the engine and the configuration until the server is drained, because of a signal or a client.
// Returns what is left of the time for stopping. If a server or an engine no longer answers, this waits, and
// the service manager hears nothing; the signals end the process all the same.
Duration watch_until_drained(Server& server, const Engine& engine, Reloader& reloader, Signals& signals,
                             ServiceManager& manager, spdlog::logger& log) {
  constexpr std::chrono::nanoseconds kMoment = std::chrono::milliseconds(20);
  HealthLog health(log);
  ArchiveLog archive(log);
  DrainLog drains(log);
  bool told = false;
  Duration polite_end = std::chrono::seconds(1);  // for replies that are under way at that moment
  std::optional<std::chrono::steady_clock::time_point> over_since;
  for (;;) {
    health.note(engine.health());
    archive.note(engine.archive_health());
    server.ping();
    manager.alive();
    const DrainStatus drain = server.drain_status();
    drains.note(drain);
    manager.note(drain);
    const bool ends = drain.over && drain.exits;
    const auto now = std::chrono::steady_clock::now();
    if (!ends) over_since.reset();
    if (ends && !over_since) over_since = now;
    if (ends && (server.drain_is_known() || now - *over_since >= polite_end / 2)) {
      if (!told) manager.stopping();
      if (drain.left > Duration(0)) return drain.left + polite_end;
      // The drain ran out of its time, and this wait uses the time that was left for stopping.
      return std::max(Duration(0), polite_end - std::chrono::duration_cast<Duration>(now - *over_since));
    }
    const bool ends_soon = ends || (drain.draining && !drain.over);
    const int signal = signals.wait(ends_soon ? std::min(kMoment, manager.period()) : manager.period());
    if (signal == SIGHUP) {
      reloader.reload();
      signals.set_stop_timeout(reloader.config().stop_timeout);
    } else if (signal > 0) {
      told = true;
      log.info("stopping, on signal {}", signal);
      manager.stopping();
      const Duration timeout = reloader.config().stop_timeout;
      polite_end = timeout / 10;
      server.drain({.timeout = timeout - polite_end});
    }
  }
}

std::shared_ptr<spdlog::logger> make_log(const Config& config) {
  auto log = std::make_shared<spdlog::logger>("holdfastd", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  log->set_level(config.log_level);
  if (config.log_format == LogFormat::kJson) {
    log->set_formatter(std::make_unique<JsonLog>());
    return log;
  }
  log->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  return log;
}

int failed(spdlog::logger& log, const Error& error) {
  log.critical("{}", escaped(to_string(error)));
  return error_info(error.code).exit_status;
}

Result<Engine> open_engine(const Config& config, spdlog::logger& log) {
  const auto start = std::chrono::steady_clock::now();
  EngineOptions options{.free_space_reserve = config.free_space_reserve,
                        .write_buffer_bytes = config.write_buffer};
  if (auto ok = set_archive(config.archive, options); !ok) return tl::unexpected(ok.error());
  auto engine = Engine::open(config.data, std::move(options));
  // The system has several errors for a directory that cannot be made.
  std::error_code ignored;
  if (!engine && engine.error().code == ErrorCode::kStorageFailed &&
      !std::filesystem::is_directory(config.data, ignored))
    return fail(ErrorCode::kInvalidArgument, "data: " + engine.error().message);
  // A start that cannot go on is `unavailable`, whatever it lacks.
  if (!engine && engine.error().code == ErrorCode::kOverloaded)
    return fail(ErrorCode::kUnavailable, std::string(kNoThread) + "; " + engine.error().message);
  if (!engine) return engine;
  const auto took = std::chrono::steady_clock::now() - start;
  log.info("opened {} in {} ms", config.data.string(),
           std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  return engine;
}

// The file is written once this process has the data directory, so that its reader finds the server that
// serves it.
Result<std::optional<PidFile>> write_pid_file(const Config& config) {
  if (config.pid_file.empty()) return std::nullopt;
  return PidFile::write(config.pid_file);
}

Result<std::optional<Webhook>> start_webhook(const Config& config, Engine& engine,
                                             const std::shared_ptr<spdlog::logger>& log) {
  if (config.webhook.url.empty()) return std::nullopt;
  return Webhook::start(engine, log, config.webhook);
}

Result<Server> start_server(const Config& config, const Credentials& credentials, Engine& engine,
                            const std::shared_ptr<spdlog::logger>& log) {
  const DescriptorPlan descriptors = plan_descriptors(config, descriptor_limit());
  log->info("{}", descriptors.text());
  auto options = config.server;
  options.limits = limits_within(descriptors, options.limits);
  options.log = log;
  options.tokens = credentials.tokens;
  options.tls = credentials.tls;
  return Server::start(engine, std::move(options));
}

// The server must outlive the listener, and stay where it is.
Result<std::optional<HttpListener>> serve_metrics(const Config& config, Server& server, spdlog::logger& log) {
  if (config.metrics_listen.empty()) return std::nullopt;
  return HttpListener::start(
      {.address = config.metrics_listen,
       .allow_remote = config.server.allow_insecure,
       .names = config.metrics_hosts},
      [&server](std::string_view path) { return server.monitor().page(path); }, log);
}

void tell_addresses(const Server& server, const std::optional<HttpListener>& metrics, spdlog::logger& log) {
  for (const auto& address : server.addresses()) log.info("listening on {}", address);
  for (const auto& address : server.http_addresses()) log.info("HTTP on {}", address);
  if (metrics) log.info("metrics on http://{}/metrics", metrics->address());
}

// The time for the server's last word to the clients that wait for it.
constexpr auto kFarewell = std::chrono::seconds(1);

}  // namespace

int run_daemon(const CommandLine& line, const Environment& environment, const Config& config) {
  const auto log = make_log(config);
  Signals signals(config.log_format, config.stop_timeout);
  log->info("holdfastd {} starting, pid {}", kVersion, ::getpid());
  const auto credentials = check_config(config);
  if (!credentials) return failed(*log, credentials.error());
  for (const auto& warning : credentials->warnings) log->warn("{}", escaped(warning));
  auto engine = open_engine(config, *log);
  if (!engine) return failed(*log, engine.error());
  auto pid_file = write_pid_file(config);
  if (!pid_file) return failed(*log, pid_file.error());
  const auto alerts = log_alerts(*engine, *log);
  if (!alerts) return failed(*log, alerts.error());
  const auto webhook = start_webhook(config, *engine, log);
  if (!webhook) return failed(*log, webhook.error());
  auto server = start_server(config, *credentials, *engine, log);
  if (!server) return failed(*log, server.error());
  auto metrics = serve_metrics(config, *server, *log);
  if (!metrics) return failed(*log, metrics.error());

  tell_addresses(*server, *metrics, *log);
  ServiceManager manager("serving " + config.data.string() + " on " + server->addresses().front());
  Reloader reloader(line, environment, config, *server, *log);
  const Duration left = watch_until_drained(*server, *engine, reloader, signals, manager, *log);
  signals.end_within(left);
  server->stop(std::chrono::duration_cast<std::chrono::milliseconds>(left));
  const auto closed = engine->close();
  // A client that waits for the end starts the next server at once, so everything that it needs must be free
  // by then.
  metrics->reset();
  pid_file->reset();
  server->end(closed, kFarewell);
  if (!closed) return failed(*log, closed.error());
  log->info("stopped");
  return 0;
}

}  // namespace holdfast::server
