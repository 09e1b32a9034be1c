// The dashboard: the files of server/page.
#pragma once

#include <optional>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// The answer to a GET of one of its files, or of one of its pages, which all are the one document. Nothing
// for what is not the dashboard's. Anybody may have it: it shows nothing that it does not ask the API for.
std::optional<HttpResponse> page_answer(const HttpRequest& request, bool tls);

}  // namespace holdfast::server
