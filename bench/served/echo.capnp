@0xb3f5d1c9a7e24680;
# The same bytes there and back, and nothing else.

$import "/capnp/c++.capnp".namespace("holdfast::bench::wire");

interface Echo {
  echo @0 (bodies :List(Data)) -> (bodies :List(Data));
}
