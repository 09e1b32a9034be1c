#include "client/impl.h"
#include "convert/redrive.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

namespace {

// Gives the call a request id, so that it may be sent again.
template <class Impl>
Effect identify(Impl& impl, RedriveOptions& options) {
  auto identity = impl.identify(std::move(options.request_id), Effect::kOnce);
  options.request_id = std::move(identity.request_id);
  return identity.effect;
}

}  // namespace

Result<Redriven> Client::redrive(std::string_view queue, RedriveOptions options) {
  const Effect effect = identify(*impl_, options);
  return impl_->call(
      {effect}, &Rpc::redriveRequest,
      [&](wire::RedriveRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::RedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<Redriven> Client::park(std::string_view queue, RedriveOptions options) {
  const Effect effect = identify(*impl_, options);
  return impl_->call(
      {effect}, &Rpc::parkRequest,
      [&](wire::RedriveRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::RedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<TaskId> Client::start_redrive(std::string_view queue, RedriveOptions options) {
  const Effect effect = identify(*impl_, options);
  return impl_->call(
      {effect}, &Rpc::startRedriveRequest,
      [&](wire::RedriveRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::StartRedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<TaskStatus> Client::redrive_status(TaskId id) {
  return impl_->call(
      {Effect::kNone}, &Rpc::redriveStatusRequest,
      [&](wire::TaskRequest::Builder to) { convert::write(id, to); },
      [](wire::TaskReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<std::vector<TaskStatus>> Client::list_redrives() {
  return impl_->call(
      {Effect::kNone}, &Rpc::listRedrivesRequest, [](wire::ListRedrivesRequest::Builder) {},
      [](wire::ListRedrivesReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<TaskStatus> Client::cancel_redrive(TaskId id) {
  return impl_->call(
      {Effect::kFenced}, &Rpc::cancelRedriveRequest,
      [&](wire::TaskRequest::Builder to) { convert::write(id, to); },
      [](wire::TaskReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<RedrivePreview> Client::preview_redrive(std::string_view queue, RedriveOptions options) {
  return impl_->call(
      {Effect::kNone}, &Rpc::previewRedriveRequest,
      [&](wire::RedriveRequest::Builder to) { convert::write(queue, options, to); },
      [](wire::PreviewRedriveReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
