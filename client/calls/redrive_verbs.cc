// ClientDeadLetterVerbs starts, follows and cancels redrives. The task of a redrive outlives the connection,
// and a restart of the server, so that a call that waits for the task's end may go on waiting after either.
#include "client/calls/call_sender.h"
#include "schema/convert/dead_letters/redrive_conversion.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

namespace {

// Gives a call that begins a task a request id, so that it may be sent again. If it moves the messages
// itself, the task goes on in the server's next life, and so may the call.
Effect identify(client::CallSender& sender, RedriveOptions& options) {
  if (options.dry_run) return Effect::kNone;
  auto identity = sender.identify(std::move(options.request_id), Effect::kOnce);
  options.request_id = std::move(identity.request_id);
  return options.wait && identity.effect == Effect::kFenced ? Effect::kResumed : identity.effect;
}

}  // namespace

ClientCall<Result<Redriven>> ClientDeadLetterVerbs::redrive(std::string_view queue,
                                                            RedriveOptions options) const {
  const Effect effect = identify(sender_, options);
  return sender_.call(
      {effect}, &Rpc::redriveRequest,
      [queue = std::string(queue), options = std::move(options)](wire::RedriveRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::RedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<TaskStatus>> ClientDeadLetterVerbs::redrive_status(TaskId id) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::redriveStatusRequest,
      [id](wire::TaskRequest::Builder to) { convert::write(id, to); },
      [](wire::TaskReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<std::vector<TaskStatus>>> ClientDeadLetterVerbs::list_redrives() const {
  return sender_.call(
      {Effect::kNone}, &Rpc::listRedrivesRequest, [](wire::ListRedrivesRequest::Builder) {},
      [](wire::ListRedrivesReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<TaskStatus>> ClientDeadLetterVerbs::cancel_redrive(TaskId id, std::string actor) const {
  return sender_.call(
      {Effect::kFenced}, &Rpc::cancelRedriveRequest,
      [id, actor = std::move(actor)](wire::CancelRedriveRequest::Builder to) {
        convert::write(id, actor, to);
      },
      [](wire::TaskReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
