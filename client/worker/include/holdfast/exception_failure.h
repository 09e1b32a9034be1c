// Turns an exception into the description of a failure.
#pragma once

#include <exception>
#include <string>

#include "holdfast/dead_letter.h"

namespace holdfast {

// HasStackTrace is a second base, beside std::exception, for exceptions that know where they were thrown.
class HasStackTrace {
 public:
  virtual ~HasStackTrace() = default;
  // Returns the frames, one a line.
  virtual std::string stack_trace() const = 0;
};

// Describes an exception. The code is the name of its type, and the reason is its what(). The causes are the
// exceptions nested in it (std::nested_exception), each with its type and its what(), the root cause last.
// The stack trace is that of the innermost exception that has one. For a thrown value that is not a
// std::exception, the code is its type, and the reason is the value if it is a text. The category stays
// empty. Texts are cut to the limits of a failure.
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace holdfast
