#include <algorithm>

#include "client/impl.h"
#include "convert/settle.h"
#include "convert/value.h"

namespace holdfast {
namespace {

using client::Answer;
using client::Effect;
using convert::SettleResults;
using Rpc = wire::Broker::Client;

// The delivery is over, but a repeated call without a request id cannot know whether its first try ended it
// or the lease ran out before that.
SettleResults with_doubt(SettleResults results) {
  for (auto& result : results) {
    if (result) continue;
    const auto code = result.error().code;
    if (code != ErrorCode::kReceiptStale && code != ErrorCode::kMessageNotFound) continue;
    result = fail(ErrorCode::kOutcomeUnknown,
                  "the connection was lost, and the delivery is over: by this call, or its lease ran out");
  }
  return results;
}

bool is_closed(const Result<void>& result) { return !result && result.error().code == ErrorCode::kClosed; }

// Whether a repeated call that finds the delivery over may have ended it itself.
enum class Ends { kYes, kNo };

// With a request id the first answer is given again.
Ends unless_named(const SettleOptions& options) {
  return options.request_id.empty() ? Ends::kYes : Ends::kNo;
}

template <class Impl, class Params, class Write>
SettleResults settle(Impl& impl, Ends ends, client::Method<Params, wire::SettleReply> method,
                     std::size_t entries, Write write) {
  using Results = Result<SettleResults>;
  if (entries == 0) return {};
  auto check = convert::check_count("receipts", entries, limits::kBatchEntries);
  if (!check) return SettleResults(entries, tl::unexpected(check.error()));
  auto read = [=](wire::SettleReply::Reader from, const Answer& answer) -> Results {
    auto settled = convert::read(from, entries);
    if (std::ranges::all_of(settled, is_closed)) return tl::unexpected(settled.front().error());
    return ends == Ends::kYes && answer.repeated ? with_doubt(std::move(settled)) : settled;
  };
  Results results = impl.call({Effect::kFenced, client::Route::kDraining}, method, std::move(write), read);
  if (!results) return SettleResults(entries, tl::unexpected(results.error()));
  return *std::move(results);
}

}  // namespace

std::vector<Result<void>> Client::Impl::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  auto identity = identify(std::move(options.request_id), Effect::kFenced);
  options.request_id = std::move(identity.request_id);
  return settle(*this, unless_named(options), &Rpc::ackBatchRequest, receipts.size(),
                [&](wire::AckRequest::Builder to) { convert::write(receipts, options, to); });
}

std::vector<Result<void>> Client::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->ack_batch(receipts, std::move(options));
}

std::vector<Result<void>> Client::begin_batch(std::span<const Receipt> receipts) {
  return impl_->begin_batch(receipts);
}

std::vector<Result<void>> Client::extend_batch(std::span<const Receipt> receipts, Duration lease) {
  return settle(*impl_, Ends::kNo, &Rpc::extendBatchRequest, receipts.size(),
                [&](wire::ExtendRequest::Builder to) { convert::write(receipts, lease, to); });
}

std::vector<Result<void>> Client::Impl::begin_batch(std::span<const Receipt> receipts) {
  return settle(*this, Ends::kNo, &Rpc::beginBatchRequest, receipts.size(),
                [&](wire::BeginRequest::Builder to) { convert::write(receipts, to); });
}

std::vector<Result<void>> Client::release_batch(std::span<const Receipt> receipts, ReleaseOptions options) {
  return settle(*impl_, Ends::kYes, &Rpc::releaseBatchRequest, receipts.size(),
                [&](wire::ReleaseRequest::Builder to) { convert::write(receipts, options, to); });
}

std::vector<Result<void>> Client::reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                               SettleOptions options) {
  auto identity = impl_->identify(std::move(options.request_id), Effect::kFenced);
  options.request_id = std::move(identity.request_id);
  return settle(*impl_, unless_named(options), &Rpc::rejectBatchRequest, receipts.size(),
                [&](wire::RejectRequest::Builder to) { convert::write(receipts, rejection, options, to); });
}

Result<void> Client::ack(const Receipt& receipt, SettleOptions options) {
  return std::move(ack_batch({&receipt, 1}, options).front());
}

Result<void> Client::extend(const Receipt& receipt, Duration lease) {
  return std::move(extend_batch({&receipt, 1}, lease).front());
}

Result<void> Client::begin(const Receipt& receipt) { return std::move(begin_batch({&receipt, 1}).front()); }

Result<void> Client::release(const Receipt& receipt, ReleaseOptions options) {
  return std::move(release_batch({&receipt, 1}, options).front());
}

Result<void> Client::reject(const Receipt& receipt, Rejection rejection, SettleOptions options) {
  return std::move(reject_batch({&receipt, 1}, rejection, options).front());
}

}  // namespace holdfast
