#include "schema/convert/messages/settle_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

template <class Request>
void write_receipts(std::span<const Receipt> from, Request to) {
  auto list = to.initReceipts(static_cast<unsigned>(from.size()));
  for (unsigned i = 0; i < list.size(); ++i) convert::write(from[i], list[i]);
}

Result<std::vector<Receipt>> read_receipts(capnp::List<wire::Receipt>::Reader from) {
  if (auto ok = check_count("receipts", from.size(), limits::kBatchEntries); !ok) {
    return tl::unexpected(ok.error());
  }
  std::vector<Receipt> receipts;
  receipts.reserve(from.size());
  for (auto receipt : from) receipts.push_back(convert::read(receipt));
  return receipts;
}

}  // namespace

void write(std::span<const Receipt> receipts, const SettleOptions& options, wire::AckRequest::Builder to) {
  write_receipts(receipts, to);
  to.setDurability(to_wire(options.durability));
  if (!options.request_id.empty()) to.setRequestId(as_text(options.request_id));
  if (!options.actor.empty()) to.setActor(as_text(options.actor));
}

Result<AckCall> read(wire::AckRequest::Reader from) {
  auto receipts = read_receipts(from.getReceipts());
  if (!receipts) return tl::unexpected(receipts.error());
  const auto durability = read_choice(from.getDurability(), "durability");
  if (!durability) return tl::unexpected(durability.error());
  return AckCall{.receipts = std::move(*receipts),
                 .options = {.durability = *durability,
                             .request_id = string(from.getRequestId()),
                             .actor = string(from.getActor())}};
}

void write(std::span<const Receipt> receipts, Duration lease, const ExtendOptions& options,
           wire::ExtendRequest::Builder to) {
  write_receipts(receipts, to);
  to.setLeaseMicros(lease.count());
  if (!options.lets_run_out.empty()) write(options.lets_run_out, to.initLetsRunOut());
}

Result<ExtendCall> read(wire::ExtendRequest::Reader from) {
  auto receipts = read_receipts(from.getReceipts());
  if (!receipts) return tl::unexpected(receipts.error());
  return ExtendCall{.receipts = std::move(*receipts),
                    .lease = Duration(from.getLeaseMicros()),
                    .options = {.lets_run_out = read(from.getLetsRunOut())}};
}

void write(std::span<const Receipt> receipts, wire::StartRequest::Builder to) {
  write_receipts(receipts, to);
}

Result<StartCall> read(wire::StartRequest::Reader from) {
  auto receipts = read_receipts(from.getReceipts());
  if (!receipts) return tl::unexpected(receipts.error());
  return StartCall{.receipts = std::move(*receipts)};
}

void write(std::span<const Receipt> receipts, const ReleaseOptions& options,
           wire::ReleaseRequest::Builder to) {
  write_receipts(receipts, to);
  if (options.delay) to.getDelay().setMicros(options.delay->count());
  to.setCharge(options.charge);
  if (options.to) to.getTo().setSet(static_cast<wire::ReturnTo>(*options.to));
  if (!options.failure.empty()) write(options.failure, to.initFailure());
}

Result<ReleaseCall> read(wire::ReleaseRequest::Reader from) {
  auto receipts = read_receipts(from.getReceipts());
  if (!receipts) return tl::unexpected(receipts.error());
  ReleaseCall call{.receipts = std::move(*receipts),
                   .options = {.charge = from.getCharge(), .failure = read(from.getFailure())}};
  if (auto delay = from.getDelay(); delay.isMicros()) call.options.delay = Duration(delay.getMicros());
  if (auto place = from.getTo(); place.isSet()) {
    // The engine refuses an unknown value.
    call.options.to = static_cast<ReturnTo>(place.getSet());
  }
  return call;
}

void write(std::span<const Receipt> receipts, const Rejection& rejection, const SettleOptions& options,
           wire::RejectRequest::Builder to) {
  write_receipts(receipts, to);
  write(rejection, to.initRejection());
  to.setDurability(to_wire(options.durability));
  if (!options.request_id.empty()) to.setRequestId(as_text(options.request_id));
}

Result<RejectCall> read(wire::RejectRequest::Reader from) {
  auto receipts = read_receipts(from.getReceipts());
  if (!receipts) return tl::unexpected(receipts.error());
  const auto durability = read_choice(from.getDurability(), "durability");
  if (!durability) return tl::unexpected(durability.error());
  return RejectCall{.receipts = std::move(*receipts),
                    .rejection = read(from.getRejection()),
                    .options = {.durability = *durability, .request_id = string(from.getRequestId())}};
}

void write(const BatchResult<void>& from, wire::SettleReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  write_failed(*from, to.initFailed(count_failed(*from)));
}

BatchResult<void> read(wire::SettleReply::Reader from, std::size_t entries) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  std::vector<Result<void>> results(entries);
  if (auto merged = read_failed(from.getFailed(), results); !merged) return tl::unexpected(merged.error());
  return results;
}

}  // namespace holdfast::convert
