// Tells a webhook when alert rules fire or clear, and of deaths if the options ask for them. It has threads
// of its own: neither the engine nor the server ever waits for it.
#pragma once

#include <spdlog/logger.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "holdfast/engine.h"
#include "server/options/webhook_options.h"

namespace holdfast::server {

// Webhook is a movable handle. The destructor stops: it gives up a POST under way, and logs the events that
// wait as dropped.
class Webhook {
 public:
  // Posts JSON as http::Poster does.
  using Post = std::function<Result<unsigned>(const std::string& json)>;

  // Starts the webhook. kInvalidArgument if the URL is invalid, and the errors of WebhookWriter::make().
  static Result<Webhook> start(Engine& engine, std::shared_ptr<spdlog::logger> log, WebhookOptions options);
  // Starts the webhook with another way to post. `cancel` ends a call of `post` that is under way.
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
