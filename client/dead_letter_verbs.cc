#include "client/impl.h"
#include "convert/dead_letter.h"
#include "convert/dead_letter_statistics.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

Result<DeadLetterPage> Client::list_dead_letters(std::string_view queue, ListDeadLettersOptions options) {
  return impl_->call(
      {Effect::kNone}, &Rpc::listDeadLettersRequest,
      [&](wire::ListDeadLettersRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::ListDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DeadLetterGroups> Client::group_dead_letters(std::string_view queue, GroupDeadLettersOptions options) {
  return impl_->call(
      {Effect::kNone}, &Rpc::groupDeadLettersRequest,
      [&](wire::GroupDeadLettersRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::GroupDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<DeadLetterStatistics> Client::dead_letter_statistics(std::string_view queue,
                                                            DeadLetterStatisticsOptions options) {
  return impl_->call(
      {Effect::kNone}, &Rpc::deadLetterStatisticsRequest,
      [&](wire::DeadLetterStatisticsRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::DeadLetterStatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
