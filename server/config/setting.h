// Setting is an option's value, and the place where it was set.
#pragma once

#include <string>

#include "server/config/options.h"

namespace holdfast::server {

struct Setting {
  const Option* option;
  Values values;
  // "--max-calls", "HOLDFAST_MAX_CALLS" or "/etc/holdfastd.toml:7: max-calls".
  std::string where;
};

}  // namespace holdfast::server
