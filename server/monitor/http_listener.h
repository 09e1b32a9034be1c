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
  std::string address;        // "host:port"; port 0 means any free one
  bool allow_remote = false;  // whether the address may be one that other machines reach
  // `names` are the names that requests may have for their host, beside that of `address` (host_names.h).
  std::vector<std::string> names = {};
};

// Returns where `address` leads: "host:port", with port 0 for any free one. kInvalidArgument, also for an
// address without a port; kPermissionDenied if it is not a loopback address and `allow_remote` is false.
Result<boost::asio::ip::tcp::endpoint> http_endpoint(const std::string& address, bool allow_remote);

// HttpListener is a movable handle. It has a thread of its own: neither slow readers nor long pages hold up
// anything else. There are at most kMaxSessions connections: one more ends the oldest of those that are not
// being answered. A connection may take 10 seconds for a request (of at most 8 KiB, without a body), and 10
// seconds to take its answer.
class HttpListener {
 public:
  static constexpr std::size_t kMaxSessions = 64;

  // Answers GET and HEAD with `page(path)`. A peer that does not speak HTTP, such as the client of another
  // port, gets a 400 and a line in `log`. Returns the errors of http_endpoint(), and kUnavailable if the
  // address is taken.
  static Result<HttpListener> start(const HttpOptions& options, std::function<Page(std::string_view)> page,
                                    spdlog::logger& log);

  HttpListener(HttpListener&&) noexcept;
  HttpListener& operator=(HttpListener&&) noexcept;
  ~HttpListener();

  // Returns the address, with the port that the system picked.
  const std::string& address() const;

 private:
  class Impl;
  explicit HttpListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast::server
