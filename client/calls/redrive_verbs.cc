#include "client/calls/caller.h"
#include "schema/convert/dead_letters/redrive.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

namespace {

// Gives the call a request id, so that it may be sent again.
Effect identify(client::Caller& caller, RedriveOptions& options) {
  auto identity = caller.identify(std::move(options.request_id), Effect::kOnce);
  options.request_id = std::move(identity.request_id);
  return identity.effect;
}

// Of a call that moves the messages itself and is sent again: the task that it began goes on in the server's
// next life.
Effect identify_resumed(client::Caller& caller, RedriveOptions& options) {
  const Effect effect = identify(caller, options);
  return effect == Effect::kFenced ? Effect::kResumed : effect;
}

using PreviewMethod = client::Method<wire::PreviewRedriveRequest, wire::PreviewRedriveReply>;

ClientCall<Result<RedrivePreview>> preview(client::Caller& caller, PreviewMethod method,
                                           std::string_view queue, RedriveOptions options, Redaction redact) {
  return caller.call(
      {Effect::kNone}, method,
      [queue = std::string(queue), options = std::move(options), redact = std::move(redact)](
          wire::PreviewRedriveRequest::Builder to) { convert::write(queue, options, redact, to); },
      [](wire::PreviewRedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace

ClientCall<Result<Redriven>> ClientVerbs::redrive(std::string_view queue, RedriveOptions options) const {
  const Effect effect = identify_resumed(caller_, options);
  return caller_.call(
      {effect}, &Rpc::redriveRequest,
      [queue = std::string(queue), options = std::move(options)](wire::RedriveRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::RedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<Redriven>> ClientVerbs::park(std::string_view queue, RedriveOptions options) const {
  const Effect effect = identify_resumed(caller_, options);
  return caller_.call(
      {effect}, &Rpc::parkRequest,
      [queue = std::string(queue), options = std::move(options)](wire::RedriveRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::RedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<TaskId>> ClientVerbs::start_redrive(std::string_view queue, RedriveOptions options) const {
  const Effect effect = identify(caller_, options);
  return caller_.call(
      {effect}, &Rpc::startRedriveRequest,
      [queue = std::string(queue), options = std::move(options)](wire::RedriveRequest::Builder to) {
        convert::write(queue, options, to);
      },
      [](wire::StartRedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<TaskStatus>> ClientVerbs::redrive_status(TaskId id) const {
  return caller_.call(
      {Effect::kNone}, &Rpc::redriveStatusRequest,
      [id](wire::TaskRequest::Builder to) { convert::write(id, to); },
      [](wire::TaskReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<std::vector<TaskStatus>>> ClientVerbs::list_redrives() const {
  return caller_.call(
      {Effect::kNone}, &Rpc::listRedrivesRequest, [](wire::ListRedrivesRequest::Builder) {},
      [](wire::ListRedrivesReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<TaskStatus>> ClientVerbs::cancel_redrive(TaskId id, std::string actor) const {
  return caller_.call(
      {Effect::kFenced}, &Rpc::cancelRedriveRequest,
      [id, actor = std::move(actor)](wire::CancelRedriveRequest::Builder to) {
        convert::write(id, actor, to);
      },
      [](wire::TaskReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<RedrivePreview>> ClientVerbs::preview_redrive(std::string_view queue,
                                                                RedriveOptions options,
                                                                Redaction redact) const {
  return preview(caller_, &Rpc::previewRedriveRequest, queue, std::move(options), std::move(redact));
}

ClientCall<Result<RedrivePreview>> ClientVerbs::preview_park(std::string_view queue, RedriveOptions options,
                                                             Redaction redact) const {
  return preview(caller_, &Rpc::previewParkRequest, queue, std::move(options), std::move(redact));
}

}  // namespace holdfast
