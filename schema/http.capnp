@0xe1c5a0937bd2f864;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("holdfast::wire");

# The HTTP API: each method of the protocol says which requests make its call. The paths, the fields that a request has,
# and the OpenAPI document follow from these annotations and from the structs of the method.

annotation route @0xa2f6d3b18c40e597 (method) :Route;
# A request that makes the call. A method may have several routes.

struct Route {
  union {
    # The path, such as "/v1/queues/{queue}/messages". Each name in braces is a field of the parameters.

    get @0 :Text;
    # Only for what has no effect: a page of anybody's can have a browser send a GET, and over plain HTTP nothing says
    # whose page it is.

    put @1 :Text;
    post @2 :Text;
    patch @3 :Text;
    delete @4 :Text;
  }

  summary @5 :Text;
  # `summary` says what the request does, in one line, for the OpenAPI document.

  kind @6 :RouteKind;

  bodyField @7 :Text;
  # The struct among the parameters that the body is. Empty: the body is all parameters.

  success @8 :UInt16 = 200;
  # The status of an answer without an error.
}

enum RouteKind {
  # RouteKind says how a request becomes the parameters of a call, and how the reply becomes an answer. In all kinds,
  # names in the path and in the query are fields of the parameters.

  json @0;
  # The body, if there is one, is an object of fields.

  sendBatch @1;
  # As `json`, and entries that failed have no ids in the answer.

  sendRaw @2;
  # The body is that of one message, and headers have the rest of the message.

  receive @3;
  # The answer may be the body of one message, if the Accept header says so.

  stream @4;
  # The answer goes on for as long as the client listens: server-sent events.

  events @5;
  # The call only says whether the caller may listen. The answer is what happens: server-sent events.

  settleOne @6;
  # The path names the one receipt, and the answer is the outcome of that entry.
}
