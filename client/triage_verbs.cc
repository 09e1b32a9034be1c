#include "client/impl.h"
#include "convert/dead_letter_changes.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

namespace {

// Calls part(selection) until there are no more parts, unless the caller asked for one.
template <class Part>
Result<DeadLettersChanged> in_parts(DeadLetterSelection selection, const Part& part) {
  DeadLettersChanged all;
  do {
    const Result<DeadLettersChanged> changed = part(selection);
    if (!changed) return changed;
    all.changed += changed->changed;
    all.refused += changed->refused;
    all.next = selection.from = changed->next;
  } while (all.next && !selection.in_parts);
  return all;
}

}  // namespace

Result<DeadLettersChanged> Client::change_dead_letters(std::string_view queue, DeadLetterSelection selection,
                                                       DeadLetterChanges changes) {
  return in_parts(std::move(selection), [&](const DeadLetterSelection& part) {
    return impl_->call(
        {Effect::kOnce}, &Rpc::changeDeadLettersRequest,
        [&](wire::ChangeDeadLettersRequest::Builder to) { convert::write(queue, part, changes, to); },
        [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
  });
}

Result<DeadLettersChanged> Client::discard_dead_letters(std::string_view queue,
                                                        DeadLetterSelection selection) {
  return in_parts(std::move(selection), [&](const DeadLetterSelection& part) {
    return impl_->call(
        {Effect::kOnce}, &Rpc::discardDeadLettersRequest,
        [&](wire::DiscardDeadLettersRequest::Builder to) { convert::write(queue, part, to); },
        [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
  });
}

Result<DeadLettersImported> Client::import_dead_letters(std::string_view queue,
                                                        std::vector<DeadLetter> letters) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::importDeadLettersRequest,
      [&](wire::ImportDeadLettersRequest::Builder to) { convert::write(queue, letters, to); },
      [](wire::ImportDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
