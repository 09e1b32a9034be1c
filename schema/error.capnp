@0xc8a4c1fdc8c022ea;

# The errors that replies have.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

struct Error {
  code @0 :UInt16;
  # 1 internal, 2 invalidArgument, 3 limitExceeded, 4 queueNotFound, 5 queueExists, 6 queueInUse, 7 messageNotFound, 8
  # receiptStale, 9 noDeadLetterQueue, 10 deadLetterCycle, 11 diskFull, 12 storageFailed, 13 corruption, 14 locked, 15
  # formatTooNew, 16 closed, 17 unavailable, 18 outcomeUnknown, 19 overloaded, 20 permissionDenied, 21 taskNotFound, 22
  # familyNotFound, 23 preconditionFailed, 24 queuePaused, 25 queueFull, 26 cancelled. A server never answers 22 and 26,
  # which only engines in the process know. A code never gets another meaning; read a code that you do not know as 1.
  # Any call can answer 1, 12, 13, 16, 19 and 20.

  message @1 :Text;
  # One sentence for a person. For the codes 2 and 3 it names the field or the limit.
}

struct FailedEntry {
  index @0 :UInt32;
  # The place of the entry in the request, counted from 0. Within a reply these ascend.

  error @1 :Error;
}
