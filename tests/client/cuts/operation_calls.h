// OperationCalls makes the calls on the whole server.
#pragma once

#include "tests/client/cuts/caller_context.h"

namespace holdfast::testing {

class OperationCalls {
 public:
  explicit OperationCalls(CallerContext& context) : context_(context) {}

  void backup();
  // Returns whether both calls succeeded, the drain and the resume.
  // A drain ends with its server. While the server drains, a client whose connection was cut cannot connect.
  // Nobody else looks meanwhile, since a receive that meets the beginning of a drain gives nothing, whatever
  // is there.
  bool drain();

 private:
  CallerContext& context_;
};

}  // namespace holdfast::testing
