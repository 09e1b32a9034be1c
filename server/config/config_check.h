// What can be known to be wrong with a configuration before anything is done.
#pragma once

#include "server/access/credentials.h"

namespace holdfast::server {

// Looks at what options mean together, and at the files, directories and addresses that they name, as this
// process sees them; changes nothing. What happens later still ends a start: an address that is taken, a
// directory that another process holds. kInvalidArgument, kPermissionDenied, each naming the option.
Result<Credentials> check_config(const Config& config);

}  // namespace holdfast::server
