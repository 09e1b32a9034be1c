#pragma once

#include <stdexcept>
#include <string>

namespace holdfast::simulation {

// Thrown when a promise was broken.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] inline void violated(const std::string& body, const std::string& what) {
  throw Violation("message " + body + ": " + what);
}

}  // namespace holdfast::simulation
