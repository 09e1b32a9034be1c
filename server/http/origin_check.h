// Which requests of browsers are answered.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/http/exchange/exchange.h"
#include "server/monitor/host_names.h"
#include "server/options/http_names.h"

namespace holdfast::server {

// A page of somebody else's makes a browser send requests here with what the browser knows; so those of
// another origin are refused, unless it is named (CORS, of the Fetch standard), and so are names that are not
// this server's.
class OriginCheck {
 public:
  explicit OriginCheck(const HttpNames& names) : hosts_(names.hosts), origins_(names.cors_origins) {}

  // Nothing if the request may be answered.
  std::optional<HttpRefusal> refusal(const HttpRequest& request, bool tls) const;

  // The answer to a preflight that is not refused, before allow(); nothing if the request is none.
  std::optional<HttpResponse> preflight(const HttpRequest& request) const;

  // Lets the page that asked, if it is one that may, read the answer.
  void allow(std::string_view origin, HttpResponse& response) const;

  // Of an answer to a GET: has the browser keep it from a page of another origin that embeds it, as a
  // picture, a script, a frame or an object. Each answer then fails to load there in the same way, whatever
  // it says.
  static void seal(HttpResponse& response);

 private:
  bool is_named(std::string_view origin) const;

  const HostNames hosts_;
  const std::vector<std::string> origins_;
};

}  // namespace holdfast::server
