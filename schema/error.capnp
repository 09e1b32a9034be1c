@0xc8a4c1fdc8c022ea;

# Errors, as every reply carries them.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

struct Error {
  code @0 :UInt16;
  # 1 internal, 2 invalidArgument, 3 limitExceeded, 4 queueNotFound, 5 queueExists, 6 queueInUse, 7 messageNotFound,
  # 8 receiptStale, 9 noDeadLetterQueue, 10 deadLetterCycle, 11 diskFull, 12 storageFailed, 13 corruption, 14 locked,
  # 15 formatTooNew, 16 closed, 17 unavailable, 18 outcomeUnknown, 19 overloaded, 20 permissionDenied,
  # 21 taskNotFound, 22 familyNotFound, 23 preconditionFailed (the last two only embedded), 24 queuePaused,
  # 25 queueFull, 26 cancelled (only embedded). A code is never
  # given another meaning. Read one that you do not know as 1. Any call can answer 1, 12, 13, 16, 19 and 20.

  message @1 :Text;
  # One sentence for a person. Names the field or the limit for codes 2 and 3.
}

struct FailedEntry {
  index @0 :UInt32;
  # Of the entry in the request, from 0. Ascending in a reply.

  error @1 :Error;
}
