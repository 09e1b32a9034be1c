#include "server/reloader.h"

#include "server/access/tokens.h"

namespace holdfast::server {
namespace {

std::string joined(const Values& values) {
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : ",") + value;
  return all;
}

}  // namespace

void Reloader::reload() {
  const auto loaded = load_config(line_, environment_);
  if (!loaded) {
    log_.error("configuration not reloaded: {}", loaded.error().message);
    return;
  }
  // Not turned on or off while clients are connected.
  std::shared_ptr<const Tokens> tokens;
  if (!running_.tokens.empty() && !loaded->config.tokens.empty()) {
    auto read = Tokens::load(loaded->config.tokens);
    if (!read) {
      log_.error("configuration not reloaded: {}", read.error().message);
      return;
    }
    tokens = std::move(*read);
  }
  for (const Option* option : changed_options(running_, loaded->config)) {
    const Values wanted = option->get(loaded->config);
    if (!option->reloads || (option->name == "tokens" && !tokens)) {
      log_.warn("configuration: {}={} holds from the next start", option->name, joined(wanted));
      continue;
    }
    // Cannot fail: it has taken the same values a moment ago.
    if (!option->set(running_, wanted)) continue;
    log_.info("configuration: {}={}", option->name, joined(wanted));
  }
  if (tokens) server_.set_tokens(std::move(tokens));
  server_.set_limits(running_.server.limits);
  log_.set_level(running_.log_level);
  log_.info("configuration reloaded");
}

}  // namespace holdfast::server
