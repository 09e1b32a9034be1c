// Finds what is wrong with a configuration before anything is done.
#pragma once

#include "server/access/credentials.h"

namespace holdfast::server {

// Checks what the options mean together, and the files, directories and addresses that they name, as this
// process sees them. It changes nothing. A start may still fail later, for example if an address is taken or
// another process holds a directory. kInvalidArgument and kPermissionDenied, each naming the option.
Result<Credentials> check_config(const Config& config);

}  // namespace holdfast::server
