// What an exception says of a failure.
#pragma once

#include <exception>
#include <string>

#include "holdfast/dead_letter.h"

namespace holdfast {

// A base, beside std::exception, for exceptions that know where they were thrown.
class HasStackTrace {
 public:
  virtual ~HasStackTrace() = default;
  // One frame a line.
  virtual std::string stack_trace() const = 0;
};

// Of an exception: its type, by name, is the code; what() the reason; those nested in it
// (std::nested_exception) are the causes, each with its type and what(), the root last; the stack trace is
// that of the innermost one that has one. Of what is no std::exception the type, and a text that was thrown.
// The category stays empty. Texts are cut to what a failure may have.
Failure failure_of(const std::exception_ptr& thrown);

}  // namespace holdfast
