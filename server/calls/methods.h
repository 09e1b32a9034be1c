// The table of the protocol's methods: what answers each, and what is particular about it.
#pragma once

#include <capnp/common.h>
#include <kj/async.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "server/access/call_rule.h"
#include "server/calls/call.h"

namespace holdfast::server {

// Answers a call that may be made. The promise is fulfilled once the reply is written.
using Handler = kj::Promise<void> (*)(AnyCall& call);

struct MethodTraits {
  bool begins_work = false;           // a server that drains refuses it
  bool may_be_given_up = false;       // it only waits, so it ends when its client gives it up or is gone
  bool takes_long = false;            // it is meant to take long, so it is no slow call
  bool shows_what_is_stored = false;  // admit_answer() checks it
  // dispatch() does not admit it, since it brings a client in or concerns the server's end. Of such handlers,
  // that of `hello` admits its call if it has to wait, and that of `drainStatus` unless the client already
  // waits for the server's end.
  bool admits_itself = false;
};

struct Method {
  std::string_view name;  // as the protocol has it
  CallRule rule;          // who may call it
  MethodTraits traits;
  std::uint64_t params;  // the ids of the types of parameters and reply
  std::uint64_t reply;
  // The handler is null if the call passes something that only RPC can pass. RPC then brings the handler.
  Handler handler;
};

// Returns the method of this number (schema/protocol/protocol_methods.h); null if the protocol has none.
const Method* find_method(std::uint16_t number);

// Return the methods that each file of handlers answers.
std::span<const Method> greeting_methods();
std::span<const Method> queue_methods();
std::span<const Method> message_methods();
std::span<const Method> settle_methods();
std::span<const Method> dead_letter_methods();
std::span<const Method> triage_methods();
std::span<const Method> redrive_methods();
std::span<const Method> operations_methods();
std::span<const Method> drain_methods();

// Makes a method's row and its handler from a function for calls of the method's types.
template <auto kAnswer>
struct HandlerOf;
template <class Params, class Reply, kj::Promise<void> (*kAnswer)(Call<Params, Reply>)>
struct HandlerOf<kAnswer> {
  static Method method(std::string_view name, const CallRule& rule, const MethodTraits& traits) {
    return {name, rule, traits, capnp::typeId<Params>(), capnp::typeId<Reply>(), handle};
  }
  static kj::Promise<void> handle(AnyCall& call) { return kAnswer(Call<Params, Reply>(call)); }
};

// `method<create_queue>("createQueue", rule)`, where create_queue takes a Call<CreateQueueRequest,
// DeclareReply>.
template <auto kAnswer>
Method method(std::string_view name, const CallRule& rule, const MethodTraits& traits = {}) {
  return HandlerOf<kAnswer>::method(name, rule, traits);
}

}  // namespace holdfast::server
