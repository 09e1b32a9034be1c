// Refusals that several parts of the HTTP port give.
#pragma once

#include <kj/exception.h>

#include <boost/beast/http/verb.hpp>
#include <vector>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// `methods`: those that the resource has.
HttpResponse no_such_method(const std::vector<boost::beast::http::verb>& methods);

// What a client is told of an exception: it is this server's fault, never the request's.
Error error_of(const kj::Exception& why);

}  // namespace holdfast::server
