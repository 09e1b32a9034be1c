// Converts ackBatch, extendBatch, startBatch, releaseBatch and rejectBatch between the API and the protocol.
#pragma once

#include <span>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/wire/message.capnp.h"

namespace holdfast::convert {

struct AckCall {
  std::vector<Receipt> receipts;
  SettleOptions options;
};

struct ExtendCall {
  std::vector<Receipt> receipts;
  Duration lease{};
  ExtendOptions options;
};

struct StartCall {
  std::vector<Receipt> receipts;
};

struct ReleaseCall {
  std::vector<Receipt> receipts;
  ReleaseOptions options;
};

struct RejectCall {
  std::vector<Receipt> receipts;
  Rejection rejection;
  SettleOptions options;
};

// Each read() of a request returns kLimitExceeded past limits::kBatchEntries.
void write(std::span<const Receipt> receipts, const SettleOptions& options, wire::AckRequest::Builder to);
Result<AckCall> read(wire::AckRequest::Reader from);

void write(std::span<const Receipt> receipts, Duration lease, const ExtendOptions& options,
           wire::ExtendRequest::Builder to);
Result<ExtendCall> read(wire::ExtendRequest::Reader from);

void write(std::span<const Receipt> receipts, wire::StartRequest::Builder to);
Result<StartCall> read(wire::StartRequest::Reader from);

void write(std::span<const Receipt> receipts, const ReleaseOptions& options,
           wire::ReleaseRequest::Builder to);
Result<ReleaseCall> read(wire::ReleaseRequest::Reader from);

void write(std::span<const Receipt> receipts, const Rejection& rejection, const SettleOptions& options,
           wire::RejectRequest::Builder to);
Result<RejectCall> read(wire::RejectRequest::Reader from);

void write(const BatchResult<void>& from, wire::SettleReply::Builder to);
// `entries` is how many receipts the request had.
BatchResult<void> read(wire::SettleReply::Reader from, std::size_t entries);

}  // namespace holdfast::convert
