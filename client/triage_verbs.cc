#include "client/impl.h"
#include "convert/dead_letter_changes.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

Result<DeadLettersChanged> Client::change_dead_letters(std::string_view queue, DeadLetterSelection selection,
                                                       DeadLetterChanges changes) {
  return impl_->call(
      Effect::kOnce, &Rpc::changeDeadLettersRequest,
      [&](wire::ChangeDeadLettersRequest::Builder to) { convert::write(queue, selection, changes, to); },
      [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DeadLettersChanged> Client::discard_dead_letters(std::string_view queue,
                                                        DeadLetterSelection selection) {
  return impl_->call(
      Effect::kOnce, &Rpc::discardDeadLettersRequest,
      [&](wire::DiscardDeadLettersRequest::Builder to) { convert::write(queue, selection, to); },
      [](wire::DeadLettersChangedReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DeadLettersImported> Client::import_dead_letters(std::string_view queue,
                                                        std::vector<DeadLetter> letters) {
  return impl_->call(
      Effect::kOnce, &Rpc::importDeadLettersRequest,
      [&](wire::ImportDeadLettersRequest::Builder to) { convert::write(queue, letters, to); },
      [](wire::ImportDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
