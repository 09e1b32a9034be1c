// Credentials say who may come in, and how, according to the configuration's files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/options/config.h"

namespace holdfast::server {

struct Credentials {
  std::shared_ptr<const Tokens> tokens = {};        // null: no access control
  std::shared_ptr<transport::TlsContext> tls = {};  // null: no TLS
  // Each warning names something that clients will not like, such as a certificate that has expired.
  std::vector<std::string> warnings = {};
};

// Reads the files. Errors name the option and the file. kInvalidArgument also for TLS files without a tls://
// address that uses them, and for such an address without the files; kPermissionDenied for files that this
// process may not read, or that others may.
Result<Credentials> load_credentials(const Config& config);

}  // namespace holdfast::server
