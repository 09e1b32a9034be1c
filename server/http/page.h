// Serves the dashboard: the files of server/page.
#pragma once

#include <optional>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Returns the answer to a GET of one of the dashboard's files or pages; all pages are the same document.
// Returns nothing if the path is not the dashboard's. Everybody may have the dashboard: it shows only what it
// asks the API for.
std::optional<HttpResponse> page_answer(const HttpRequest& request, bool tls);

}  // namespace holdfast::server
