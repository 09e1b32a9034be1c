// A small HTTP server for pages that are made when they are asked for.
#pragma once

#include <spdlog/logger.h>

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/monitor/monitor.h"

namespace holdfast::server {

struct HttpOptions {
  std::string address;        // "host:port", port 0 for any free one
  bool allow_remote = false;  // it may be an address that other machines reach
  std::vector<std::string> names =
      {};  // that it may be asked for by, beside that of `address` (host_names.h)
};

// Where `address` leads: "host:port", port 0 for any free one. kInvalidArgument, also for one without a port;
// kPermissionDenied unless it is a loopback address or `allow_remote`.
Result<boost::asio::ip::tcp::endpoint> http_endpoint(const std::string& address, bool allow_remote);

// A movable handle. On a thread of its own: neither slow readers nor long pages hold up anything else. At
// most kMaxSessions connections: one more ends the oldest of those that are not being answered. Each may take
// 10 seconds for a request (of at most 8 KiB, without a body), and as long to take its answer.
class HttpListener {
 public:
  static constexpr std::size_t kMaxSessions = 64;

  // Answers GET and HEAD with `page(path)`; of a peer that speaks no HTTP, as the client of another port,
  // there is a line in `log`, and a 400. Errors as http_endpoint() has them, kUnavailable if the address is
  // taken.
  static Result<HttpListener> start(const HttpOptions& options, std::function<Page(std::string_view)> page,
                                    spdlog::logger& log);

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
