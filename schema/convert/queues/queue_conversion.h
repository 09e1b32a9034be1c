// Converts the calls that declare and describe queues between the API and the protocol. The string views in
// calls point into the request. Options that are not valid are, in an answer, the server's fault.
#pragma once

#include <string_view>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/wire/queue.capnp.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {

struct CreateQueueCall {
  std::string_view name;
  QueueOptions options;
  MissingQueues missing{};
};

struct AlterQueueCall {
  std::string_view name;
  QueueChanges changes;
  MissingQueues missing{};
};

struct PauseCall {
  std::string_view name;
  Pause what;
};

void write(const QueueOptions& from, wire::QueueOptions::Builder to);
Result<QueueOptions> read(wire::QueueOptions::Reader from);

void write(const QueueInfo& from, wire::QueueInfo::Builder to);
Result<QueueInfo> read(wire::QueueInfo::Reader from);

void write(std::string_view name, const QueueOptions& options, MissingQueues missing,
           wire::CreateQueueRequest::Builder to);
Result<CreateQueueCall> read(wire::CreateQueueRequest::Reader from);

void write(std::string_view name, const QueueChanges& changes, MissingQueues missing,
           wire::AlterQueueRequest::Builder to);
Result<AlterQueueCall> read(wire::AlterQueueRequest::Reader from);

inline void write(std::string_view name, Pause what, wire::PauseRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
  to.setDeliveries(what.deliveries);
  to.setSends(what.sends);
}
inline PauseCall read(wire::PauseRequest::Reader from) {
  return {.name = view(from.getName()),
          .what = {.deliveries = from.getDeliveries(), .sends = from.getSends()}};
}

// Writes a request to delete the queue whatever its version is.
inline void write(std::string_view name, wire::DeleteQueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
}

inline void write(std::string_view name, wire::QueueRequest::Builder to) {
  set_text(to.initName(static_cast<unsigned>(name.size())), name);
}
inline std::string_view read(wire::QueueRequest::Reader from) { return view(from.getName()); }

inline void write(const Result<QueueDeclared>& from, wire::DeclareReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setCreated(from->created);
  auto warnings = ok.initWarnings(static_cast<unsigned>(from->warnings.size()));
  for (unsigned i = 0; i < warnings.size(); ++i) warnings.set(i, as_text(from->warnings[i]));
}
inline Result<QueueDeclared> read(wire::DeclareReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  QueueDeclared declared{.created = from.getOk().getCreated(), .warnings = {}};
  for (auto warning : at_most(kShortList, from.getOk().getWarnings()))
    declared.warnings.push_back(string(warning));
  return declared;
}

inline void write(const Result<void>& from, wire::EmptyReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  to.setOk();
}
inline Result<void> read(wire::EmptyReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return {};
}

inline void write(const Result<std::uint64_t>& from, wire::PurgeReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  to.setPurged(*from);
}
inline Result<std::uint64_t> read(wire::PurgeReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return from.getPurged();
}

inline void write(const Result<QueueInfo>& from, wire::DescribeReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  write(*from, to.initQueue());
}
inline Result<QueueInfo> read(wire::DescribeReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return read(from.getQueue()).map_error(as_server_fault);
}

void write(const Result<std::vector<QueueInfo>>& from, wire::ListQueuesReply::Builder to);
Result<std::vector<QueueInfo>> read(wire::ListQueuesReply::Reader from);

}  // namespace holdfast::convert
