// These programs end by report() when a call has failed.
#pragma once

#include <holdfast/error.h>

#include <cstdio>

inline int report(const holdfast::Error& error) {
  std::fprintf(stderr, "%s\n", holdfast::to_string(error).c_str());
  return 1;
}
