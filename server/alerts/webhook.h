// Tells a webhook when alert rules fire or clear, and of deaths if that is asked for. On threads of its own:
// neither the engine nor the server ever waits for it.
#pragma once

#include <spdlog/logger.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "holdfast/engine.h"
#include "server/options/webhook_options.h"

namespace holdfast::server {

// A movable handle. The destructor stops: a POST under way is given up, what waits is logged as dropped.
class Webhook {
 public:
  // Posts JSON; see http::Poster.
  using Post = std::function<Result<unsigned>(const std::string& json)>;

  // kInvalidArgument for the URL, or what WebhookWriter::make refuses.
  static Result<Webhook> start(Engine& engine, std::shared_ptr<spdlog::logger> log, WebhookOptions options);
  // With another way to post. `cancel` ends a call under way.
  static Result<Webhook> start(Engine& engine, std::shared_ptr<spdlog::logger> log, WebhookOptions options,
                               Post post, std::function<void()> cancel);

  Webhook(Webhook&&) noexcept;
  Webhook& operator=(Webhook&&) noexcept;
  ~Webhook();

 private:
  class Impl;
  explicit Webhook(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
