// Refusals that several parts of the HTTP port use.
#pragma once

#include <kj/exception.h>

#include <boost/beast/http/verb.hpp>
#include <vector>

#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// `methods` are those that the resource has.
HttpResponse no_such_method(const std::vector<boost::beast::http::verb>& methods);

// Returns the error that a client is told for an exception: the server is at fault, never the request.
Error error_of(const kj::Exception& why);

}  // namespace holdfast::server
