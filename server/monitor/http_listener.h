// A small HTTP server for pages that are made when they are asked for.
#pragma once

#include <spdlog/logger.h>

#include <functional>
#include <memory>
#include <string>

#include "server/monitor/monitor.h"

namespace holdfast::server {

// A movable handle. On a thread of its own: neither slow readers nor long pages hold up anything else. At
// most 64 connections, each for as long as it sends something every 10 seconds.
class HttpListener {
 public:
  // Answers GET and HEAD with `page(path)`. `address`: "host:port", port 0: the system picks one.
  // kInvalidArgument for the address, kPermissionDenied unless it is a loopback address or `allow_remote`,
  // kUnavailable if it is taken.
  static Result<HttpListener> start(const std::string& address, bool allow_remote,
                                    std::function<Page(std::string_view)> page, spdlog::logger& log);

  HttpListener(HttpListener&&) noexcept;
  HttpListener& operator=(HttpListener&&) noexcept;
  ~HttpListener();

  // With the port that the system picked.
  const std::string& address() const;

 private:
  class Impl;
  explicit HttpListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
