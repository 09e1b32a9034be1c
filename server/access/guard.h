// Decides whether a call may be made.
#pragma once

#include <capnp/dynamic.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "holdfast/engine.h"
#include "server/access/call_rule.h"
#include "server/access/rights.h"

namespace holdfast::server {

// Checks whether a caller with these rights may make a call of that rule with these arguments. It needs the
// right on every queue that the call names, and on each queue that the call would make another queue deliver
// to. kQueueNotFound for a queue on which nothing is granted. kPermissionDenied for a queue on which this
// right is not granted, for a call that needs all queues, and, while something is hidden, for a call that
// hands out whole messages or finds dead letters by what is hidden. The queues of receipts are not checked:
// see conceal_others().
Result<void> check_call(const Rights& rights, const CallRule& rule, capnp::DynamicStruct::Reader request);

// Turns the receipts of queues that are gone, or that the caller may not consume, into receipts of no queue.
// They are then answered as made-up receipts are: nobody learns from an answer, nor from the time that it
// takes, which ids queues have. What a call carries stays the same (concealed_receipt.h), so that its
// repetition is recognised. Waits for nothing.
void conceal_others(const Rights& rights, std::span<Receipt> receipts, const Engine& engine);

// Checks whether a caller with these rights may bring the dead letters back into `queue`. A redrive takes
// each to the queue that its record names as its source, so that queue counts as named too. It returns the
// errors of check_call().
Result<void> check_import(const Rights& rights, std::string_view queue, std::span<const DeadLetter> letters);

// Checks whether a caller with these rights may receive from the queue. It returns the errors of
// check_call().
Result<void> check_consume(const Rights& rights, const std::string& queue);

// Checks whether a caller with these rights may look for dead letters in these queues. It returns the errors
// of check_call().
Result<void> check_search(const Rights& rights, std::span<const std::string> queues);

// Checks whether a caller with these rights may have messages changed by this edit. It may not edit what is
// hidden from it. kPermissionDenied.
Result<void> check_edit(const Rights& rights, const RedriveEdit& edit);

}  // namespace holdfast::server
