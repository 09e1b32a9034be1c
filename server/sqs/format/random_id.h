// Ids of requests, as answers have them.
#pragma once

#include <string>

namespace holdfast::server::sqs {

// A random UUID (version 4), as text. For people who look for a request, not for secrets.
std::string random_id();

}  // namespace holdfast::server::sqs
