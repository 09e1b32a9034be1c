// Decides which requests of browsers are answered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/http/exchange/exchange.h"
#include "server/monitor/host_names.h"
#include "server/options/http_names.h"

namespace holdfast::server {

// A page of somebody else can make a browser send requests here with what the browser knows. So requests of
// another origin are refused, unless the origin is named (CORS, in the Fetch standard), and so are requests
// for names that are not this server's.
class OriginCheck {
 public:
  explicit OriginCheck(const HttpNames& names) : hosts_(names.hosts), origins_(names.cors_origins) {}

  // Returns nothing if the request may be answered.
  std::optional<HttpRefusal> refusal(const HttpRequest& request, bool tls) const;

  // Returns the answer to a preflight that is not refused, on which allow() must be called; nothing for other
  // requests.
  std::optional<HttpResponse> preflight(const HttpRequest& request) const;

  // Lets the page that asked read the answer, if it is one that may.
  void allow(std::string_view origin, HttpResponse& response) const;

  // Changes the answer to a GET so that the browser keeps it from a page of another origin that embeds it, as
  // a picture, a script, a frame or an object. Every answer then fails to load there in the same way,
  // whatever it says.
  static void seal(HttpResponse& response);

 private:
  bool is_named(std::string_view origin) const;

  const HostNames hosts_;
  const std::vector<std::string> origins_;
};

}  // namespace holdfast::server
