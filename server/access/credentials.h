// What the configuration says about who may come in, and how: read from its files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/options/config.h"

namespace holdfast::server {

struct Credentials {
  std::shared_ptr<const Tokens> tokens = {};        // null: no access control
  std::shared_ptr<transport::TlsContext> tls = {};  // null: no TLS
  std::vector<std::string> warnings = {};           // what clients will not like: a certificate that expired
};

// Errors name option and file. kInvalidArgument also for TLS files without a tls:// address to use them, and
// the reverse; kPermissionDenied for files that this process may not read, or that others may.
Result<Credentials> load_credentials(const Config& config);

}  // namespace holdfast::server
