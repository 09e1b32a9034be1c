// Whether a call may be made.
#pragma once

#include <capnp/dynamic.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "holdfast/engine.h"
#include "server/access/call_rule.h"
#include "server/access/rights.h"

namespace holdfast::server {

// The names of queues, of which receipts have only the ids.
class QueueNames {
 public:
  explicit QueueNames(Engine& engine) : engine_(engine) {}

  // Null if there was no such queue when this last learned.
  const std::string* find(QueueId id) const;
  // Which queues there are now. As dear as listing them all.
  void learn();

 private:
  Engine& engine_;
  std::map<QueueId, std::string> names_;
};

// Whether who has these may make a call of that rule, with these arguments: it needs the right on every queue
// that it names, and on each queue that it would make another one deliver to. kQueueNotFound for a queue
// without any grant, kPermissionDenied for one without this, or for what needs all queues, or for what hands
// out messages whole, or finds dead letters by what is hidden, while something is hidden. Of receipts the
// queues are not looked at: see conceal_others().
Result<void> check_call(const Rights& rights, const CallRule& rule, capnp::DynamicStruct::Reader request);

// Makes the receipts of queues that may not be consumed, or that are gone, receipts of no queue, so that they
// are answered as what was made up is: nobody learns from an answer, nor from how long it takes, which ids
// queues have. What a call carries stays the same (concealed_receipt.h), so that a repetition is known.
void conceal_others(const Rights& rights, std::span<Receipt> receipts, QueueNames& names);

// Whether who has these may bring these back into `queue`: a redrive takes each to the queue that its record
// says it came from, so that one counts as named too.
Result<void> check_import(const Rights& rights, std::string_view queue, std::span<const DeadLetter> letters);

// Whether who has these may look for dead letters in these queues. As check_call().
Result<void> check_search(const Rights& rights, std::span<const std::string> queues);

// Whether who has these may have messages edited so: not what is hidden from them. kPermissionDenied.
Result<void> check_edit(const Rights& rights, const RedriveEdit& edit);

}  // namespace holdfast::server
