@0x9f4b2c1de83a7056;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

# How values of the protocol read where they are not Cap'n Proto, as in JSON. Fields whose name ends in `Micros` are
# durations there, in seconds and without that ending, unless they are marked as times.

annotation time @0xb1d0f65a92c3e847 (field) :Void;
# Microseconds since the Unix epoch: a text as in RFC 3339.

annotation hex @0xe6a85b0c47d1f392 (field) :Void;
# A number of 64 bits that means nothing as one: 16 hexadecimal digits.

annotation opaque @0xc07e94f3b5a2d618 (struct) :Void;
# Of the server's own making, to be handed back as it is: one text.
