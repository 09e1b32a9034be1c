@0xbaaba68ed482d2c7;

# What messages, and dead letters, are made of.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

struct MessageId {
  # A version 7 UUID, given by the server, for life: kept through retries, dead-lettering and redrive.

  high @0 :UInt64;
  # The first eight bytes of the UUID, most significant first.

  low @1 :UInt64;
}

struct Attribute {
  name @0 :Text;
  # 1..128 bytes.

  value @1 :Data;
  # 0..4096 bytes.
}

struct Consumer {
  # Who receives: kept in the failure record, should a delivery fail. At most 256 bytes each.

  instance @0 :Text;
  version @1 :Text;
}

struct NestedError {
  # At most 1024 bytes together.

  code @0 :Text;
  message @1 :Text;
}

struct Rejection {
  # What a consumer says of a delivery that failed: with a reject, a release, or before it lets its lease run out.

  category @0 :Text;
  # A class of failures: "validation", "timeout". At most 128 bytes.

  reason @1 :Text;
  # For a person. Past 4096 bytes it is cut, and ends in a mark that says so.

  code @2 :Text;
  # The consumer's own error code. At most 128 bytes.

  stackTrace @3 :Text;
  # One frame a line. The innermost 20 lines, in 16 KiB, are kept: the last ones, or the first ones of a trace whose
  # frames look like those of a format that begins with them. Where it was cut stands a mark that says so.

  causes @4 :List(NestedError);
  # What the failure came from, the root last. At most 16.

  partialOutput @5 :Data;
  # What was done before it failed. Past 16 KiB it is cut, and ends in a mark that says so.
}
