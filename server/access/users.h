// This header finds the users of this machine.
#pragma once

#include <sys/types.h>

#include <string>

#include "holdfast/error.h"

namespace holdfast::server {

// Finds a user by name or number. kInvalidArgument if there is none of that name.
Result<uid_t> find_user(const std::string& name);

}  // namespace holdfast::server
