// Converts answers about queues. A client takes from a list no more entries than an honest answer has room
// for, and options that are not valid are the server's fault, not its caller's.
#include "holdfast/limits.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {
namespace {

constexpr std::size_t kQueuesThatFit =
    limits::kBatchBytes / (capnp::sizeInWords<wire::QueueInfo>() * sizeof(capnp::word));

}  // namespace

void write(const Result<QueueDeclared>& from, wire::DeclareReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setCreated(from->created);
  auto warnings = ok.initWarnings(static_cast<unsigned>(from->warnings.size()));
  for (unsigned i = 0; i < warnings.size(); ++i) warnings.set(i, as_text(from->warnings[i]));
}

Result<QueueDeclared> read(wire::DeclareReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  QueueDeclared declared{.created = from.getOk().getCreated(), .warnings = {}};
  for (auto warning : at_most(kShortList, from.getOk().getWarnings()))
    declared.warnings.push_back(string(warning));
  return declared;
}

void write(const Result<void>& from, wire::EmptyReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  to.setOk();
}

Result<void> read(wire::EmptyReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return {};
}

void write(const Result<std::uint64_t>& from, wire::PurgeReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  to.setPurged(*from);
}

Result<std::uint64_t> read(wire::PurgeReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return from.getPurged();
}

void write(const Result<QueueInfo>& from, wire::DescribeReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  write(*from, to.initQueue());
}

Result<QueueInfo> read(wire::DescribeReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return read(from.getQueue()).map_error(as_server_fault);
}

void write(const Result<std::vector<QueueInfo>>& from, wire::ListQueuesReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto queues = to.initQueues(static_cast<unsigned>(from->size()));
  for (unsigned i = 0; i < queues.size(); ++i) write((*from)[i], queues[i]);
}

Result<std::vector<QueueInfo>> read(wire::ListQueuesReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto list = at_most(kQueuesThatFit, from.getQueues());
  std::vector<QueueInfo> queues;
  queues.reserve(list.size());
  for (auto queue : list) {
    auto info = read(queue);
    if (!info) return tl::unexpected(as_server_fault(info.error()));
    // An entry that takes no bytes has no name, and a message can claim to have very many of those.
    if (info->name.empty()) return fail(ErrorCode::kInternal, "queues: the server lists one without a name");
    queues.push_back(std::move(*info));
  }
  return queues;
}

}  // namespace holdfast::convert
