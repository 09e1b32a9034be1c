// Ids of requests for answers.
#pragma once

#include <string>

namespace holdfast::server::sqs {

// Returns a random UUID (version 4) as text. It helps people to find a request, and is no secret.
std::string random_id();

}  // namespace holdfast::server::sqs
