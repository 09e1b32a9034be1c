// ClientDeadLetterVerbs looks at dead letters. These calls change nothing, so one that loses its connection
// is simply made again.
#include "client/calls/call_sender.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/dead_letters/dead_letter_statistics_conversion.h"
#include "schema/convert/dead_letters/find_dead_letters_conversion.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

ClientCall<Result<DeadLetterPage>> ClientDeadLetterVerbs::list_dead_letters(
    std::string_view queue, ListDeadLettersOptions options) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::listDeadLettersRequest,
      [queue = std::string(queue), options = std::move(options)](wire::ListDeadLettersRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::ListDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<FoundDeadLetters>> ClientDeadLetterVerbs::find_dead_letters(
    FindDeadLettersOptions options) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::findDeadLettersRequest,
      [options = std::move(options)](wire::FindDeadLettersRequest::Builder to) {
        convert::write(options, to);
      },
      [](wire::FindDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<DeadLetterGroups>> ClientDeadLetterVerbs::group_dead_letters(
    std::string_view queue, GroupDeadLettersOptions options) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::groupDeadLettersRequest,
      [queue = std::string(queue), options = std::move(options)](wire::GroupDeadLettersRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::GroupDeadLettersReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<DeadLetterStatistics>> ClientDeadLetterVerbs::dead_letter_statistics(
    std::string_view queue, DeadLetterStatisticsOptions options) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::deadLetterStatisticsRequest,
      [queue = std::string(queue), options](wire::DeadLetterStatisticsRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::DeadLetterStatisticsReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
