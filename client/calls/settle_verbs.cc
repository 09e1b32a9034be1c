// ClientMessageVerbs settles deliveries. A delivery ends only once, so a call may be repeated after a lost
// connection. But if the server does not remember the first try, a delivery that is over may have been ended
// by it or by something else, and the answer is kOutcomeUnknown.
#include <algorithm>
#include <optional>

#include "client/calls/call_sender.h"
#include "client/common/is_retryable.h"
#include "engine/base/helpers/batch_result.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/values/value.h"

namespace holdfast {
namespace {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

// The delivery is over, but nothing tells a repeated call without a request id whether its first try had its
// effect: whether it ended the delivery itself or, if it is one that does not, came before its end.
BatchResult<void> with_doubt(std::vector<Result<void>> results) {
  for (auto& result : results) {
    if (result) continue;
    const auto code = result.error().code;
    if (code != ErrorCode::kReceiptStale && code != ErrorCode::kMessageNotFound) continue;
    result = fail(
        ErrorCode::kOutcomeUnknown,
        "the connection was lost, and the delivery is over by now; it is not known whether the first try had "
        "its effect");
  }
  return results;
}

bool says_nothing_of_the_first(const Result<void>& result) {
  return !result && !client::answers_repetition(result.error().code);
}

// Returns the error that refuses a repetition as a whole: that of an entry that does not say what the first
// try did, or nothing if all entries say it.
std::optional<Error> refusal_of(const std::vector<Result<void>>& results) {
  const auto found = std::ranges::find_if(results, says_nothing_of_the_first);
  return found == results.end() ? std::nullopt : std::optional(found->error());
}

// kById means that the server has a record of what the first try answered, which it returns again for as long
// as the call may be repeated.
enum class Record { kNone, kById };

Record record_of(const client::CallSender::Identity& identity) {
  return identity.is_remembered ? Record::kById : Record::kNone;
}

using Settled = ClientCall<BatchResult<void>>;

template <class Params, class Write>
Settled settle(client::CallSender& sender, Record record,
               client::Method<wire::MessageCalls::Client, Params, wire::SettleReply> method,
               std::size_t entries, Write write) {
  if (entries == 0) return client::answered(BatchResult<void>());
  auto check = convert::check_count("receipts", entries, limits::kBatchEntries);
  if (!check) return client::answered(BatchResult<void>(tl::unexpected(check.error())));
  auto read = [=](wire::SettleReply::Reader from, const Answer& answer) -> BatchResult<void> {
    auto settled = convert::read(from, entries);
    if (!settled || !answer.repeated) return settled;
    if (auto refusal = refusal_of(*settled)) return tl::unexpected(*std::move(refusal));
    return record == Record::kNone ? with_doubt(*std::move(settled)) : settled;
  };
  return sender.call({Effect::kFenced, client::Route::kDraining}, method, std::move(write), read);
}

std::vector<Receipt> copied(std::span<const Receipt> receipts) { return {receipts.begin(), receipts.end()}; }

ClientCall<Result<void>> only(Settled settled) {
  return client::converted(std::move(settled), only_answer<void>);
}

Settled reject_all(client::CallSender& sender, std::span<const Receipt> receipts, Rejection rejection,
                   SettleOptions options) {
  auto identity = sender.identify(std::move(options.request_id), Effect::kFenced);
  const Record record = record_of(identity);
  options.request_id = std::move(identity.request_id);
  return settle(sender, record, &Rpc::rejectBatchRequest, receipts.size(),
                [receipts = copied(receipts), rejection = std::move(rejection), options = std::move(options)](
                    wire::RejectRequest::Builder to) { convert::write(receipts, rejection, options, to); });
}

}  // namespace

Settled ClientMessageVerbs::ack_batch(std::span<const Receipt> receipts, SettleOptions options) const {
  auto identity = sender_.identify(std::move(options.request_id), Effect::kFenced);
  const Record record = record_of(identity);
  options.request_id = std::move(identity.request_id);
  return settle(sender_, record, &Rpc::ackBatchRequest, receipts.size(),
                [receipts = copied(receipts), options = std::move(options)](wire::AckRequest::Builder to) {
                  convert::write(receipts, options, to);
                });
}

Settled ClientMessageVerbs::extend_batch(std::span<const Receipt> receipts, Duration lease,
                                         ExtendOptions options) const {
  return settle(sender_, Record::kNone, &Rpc::extendBatchRequest, receipts.size(),
                [receipts = copied(receipts), lease, options = std::move(options)](
                    wire::ExtendRequest::Builder to) { convert::write(receipts, lease, options, to); });
}

Settled ClientMessageVerbs::start_batch(std::span<const Receipt> receipts) const {
  return settle(
      sender_, Record::kNone, &Rpc::startBatchRequest, receipts.size(),
      [receipts = copied(receipts)](wire::StartRequest::Builder to) { convert::write(receipts, to); });
}

Settled ClientMessageVerbs::release_batch(std::span<const Receipt> receipts, ReleaseOptions options) const {
  return settle(sender_, Record::kNone, &Rpc::releaseBatchRequest, receipts.size(),
                [receipts = copied(receipts), options = std::move(options)](
                    wire::ReleaseRequest::Builder to) { convert::write(receipts, options, to); });
}

Settled ClientMessageVerbs::reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                         SettleOptions options) const {
  return reject_all(sender_, receipts, rejection, std::move(options));
}

ClientCall<Result<void>> ClientMessageVerbs::ack(const Receipt& receipt, SettleOptions options) const {
  return only(ack_batch({&receipt, 1}, std::move(options)));
}

ClientCall<Result<void>> ClientMessageVerbs::extend(const Receipt& receipt, Duration lease,
                                                    ExtendOptions options) const {
  return only(extend_batch({&receipt, 1}, lease, std::move(options)));
}

ClientCall<Result<void>> ClientMessageVerbs::start(const Receipt& receipt) const {
  return only(start_batch({&receipt, 1}));
}

ClientCall<Result<void>> ClientMessageVerbs::release(const Receipt& receipt, ReleaseOptions options) const {
  return only(release_batch({&receipt, 1}, std::move(options)));
}

ClientCall<Result<void>> ClientMessageVerbs::reject(const Receipt& receipt, Rejection rejection,
                                                    SettleOptions options) const {
  return only(reject_all(sender_, {&receipt, 1}, std::move(rejection), std::move(options)));
}

}  // namespace holdfast
