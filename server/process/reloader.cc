#include "server/process/reloader.h"

#include "schema/http/url.h"
#include "server/access/credentials.h"
#include "server/logging/console.h"
#include "server/process/descriptors.h"

namespace holdfast::server {
namespace {

// Returns only the host of a URL: the rest may be a secret.
std::string shown(const std::string& value) {
  const auto url = http::parse_url(value);
  return url ? url->authority() : value;
}

std::string joined(const Values& values) {
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : ",") + shown(value);
  return all;
}

// Returns the running configuration with the wanted values of options that may change. What is there only if
// it is set (tokens, TLS) is not turned on or off while clients are connected.
Config reloadable(const Config& running, const Config& wanted) {
  Config next = running;
  for (const Option* option : changed_options(running, wanted)) {
    const Values values = option->get(wanted);
    if (!option->reloads || values.empty() || option->get(running).empty()) continue;
    (void)option->set(next, values);  // cannot fail: it accepted the same values a moment ago
  }
  return next;
}

}  // namespace

void Reloader::reload() {
  const auto loaded = load_config(line_, environment_);
  if (!loaded) {
    log_.error("configuration not reloaded: {}", escaped(loaded.error().message));
    return;
  }
  const Config next = reloadable(running_, loaded->config);
  const auto credentials = load_credentials(next);
  if (!credentials) {
    log_.error("configuration not reloaded: {}", escaped(credentials.error().message));
    return;
  }
  for (const Option* option : changed_options(running_, loaded->config)) {
    const Values wanted = option->get(loaded->config);
    if (option->get(next) != wanted) {
      log_.warn("configuration: {}={} takes effect at the next start", option->name, joined(wanted));
      continue;
    }
    log_.info("configuration: {}={}", option->name, joined(wanted));
  }
  for (const auto& warning : credentials->warnings) log_.warn("{}", escaped(warning));
  running_ = next;
  server_.set_tokens(credentials->tokens);
  server_.set_tls(credentials->tls);
  const DescriptorPlan descriptors = plan_descriptors(running_, descriptor_limit());
  server_.set_limits(limits_within(descriptors, running_.server.limits));
  server_.set_slow_call(running_.server.slow_call);
  log_.set_level(running_.log_level);
  log_.info("configuration reloaded");
}

}  // namespace holdfast::server
