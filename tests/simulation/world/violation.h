// Violation is the exception that a simulation throws when a promise was broken.
#pragma once

#include <stdexcept>
#include <string>

namespace holdfast::simulation {

class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void violated(const std::string& body, const std::string& what) {
  throw Violation("message " + body + ": " + what);
}

}  // namespace holdfast::simulation
