@0xbaaba68ed482d2c7;

# The values that messages and dead letters consist of.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

using Json = import "json.capnp";

struct MessageId {
  # The id of a message: a version 7 UUID, which the server gives. It stays the same through retries, dead-lettering and
  # redrive.

  high @0 :UInt64;
  # The first eight bytes of the UUID, most significant first.

  low @1 :UInt64;
}

struct Attribute {
  name @0 :Text $Json.required;
  # 1..128 bytes.

  value @1 :Data $Json.required;
  # 0..4096 bytes.
}

struct Consumer {
  # A Consumer names who receives messages. The failure record keeps it, should a delivery fail. At most 256 bytes each.

  instance @0 :Text;
  version @1 :Text;
}

struct NestedError {
  # One of the errors that led to a failure. Code and message have at most 1024 bytes together.

  code @0 :Text;
  message @1 :Text;
}

struct Rejection {
  # A Rejection is what a consumer says about a delivery that failed: when it rejects it, when it releases it, or before
  # it lets the lease run out.

  category @0 :Text;
  # A class of failures: "validation", "timeout". At most 128 bytes.

  reason @1 :Text;
  # The reason says what went wrong, for a person. A text of more than 4096 bytes is cut and ends in a mark.

  code @2 :Text;
  # The consumer's own error code. At most 128 bytes.

  stackTrace @3 :Text;
  # One frame a line. The innermost 20 frames are kept, in at most 16 KiB, and a mark says where the trace was cut. The
  # innermost frames are the last ones, or the first ones if the frames look like those of a format that begins with the
  # innermost.

  causes @4 :List(NestedError);
  # The errors that caused the failure, the root cause last. At most 16.

  partialOutput @5 :Data;
  # The consumer had done this before it failed. More than 16 KiB is cut and ends in a mark.
}
