@0x9f4b2c1de83a7056;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

# Annotations that say how values of the protocol are written outside of Cap'n Proto, in JSON for example. There, a
# field whose name ends in `Micros` has a name without that ending, and is a duration in seconds, unless it is marked as
# a time.

annotation time @0xb1d0f65a92c3e847 (field) :Void;
# A time in microseconds since the Unix epoch. It is written as a text of RFC 3339.

annotation hex @0xe6a85b0c47d1f392 (field) :Void;
# A number of 64 bits that is only an identifier. It is written as 16 hexadecimal digits.

annotation place @0xf3a97d1e5c4b6280 (field) :Void;
# The place of a message in the log of a queue, or a list of such places. The top bits of a place are the message's
# priority, so a place can be more than 2^53, up to which all readers of JSON keep whole numbers as they are. It is
# written as a text of decimal digits. Other numbers of 64 bits are counts, sizes, and ids that are counted from 1, which
# do not get there: they are numbers in JSON, too.

annotation opaque @0xc07e94f3b5a2d618 (struct) :Void;
# A value that the server makes and that a client hands back as it is. It is written as one text.

annotation required @0xa8d35c1f60e7924b (field) :Void;
# A parameter of a call that the call makes no sense without, or a field that another struct makes no sense without. In
# Cap'n Proto it reads as its default if it is absent; a request of HTTP that does not have it is refused. An answer of
# HTTP has what is required also where it is empty.
