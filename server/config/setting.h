// An option's value, and where it was said.
#pragma once

#include <string>

#include "server/config/options.h"

namespace holdfast::server {

struct Setting {
  const Option* option;
  Values values;
  std::string where;  // "--max-calls", "HOLDFAST_MAX_CALLS", "/etc/holdfastd.toml:7: max-calls"
};

}  // namespace holdfast::server
