// Converts the calls about redrives and their tasks between the API and the protocol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/wire/redrive.capnp.h"
#include "schema/convert/values/bytes.h"

namespace holdfast::convert {

struct RedriveCall {
  std::string_view queue;  // a view into the request
  RedriveOptions options;
};

struct CancelRedriveCall {
  TaskId task{};
  std::string actor;
};

void write(std::string_view queue, const RedriveOptions& options, wire::RedriveRequest::Builder to);
Result<RedriveCall> read(wire::RedriveRequest::Reader from);

void write(const LeftInPlace& from, wire::LeftInPlace::Builder to);
LeftInPlace read(wire::LeftInPlace::Reader from);

void write(const Result<Redriven>& from, wire::RedriveReply::Builder to);
Result<Redriven> read(wire::RedriveReply::Reader from);

inline void write(TaskId task, wire::TaskRequest::Builder to) {
  to.setTask(static_cast<std::uint64_t>(task));
}
inline TaskId read(wire::TaskRequest::Reader from) { return TaskId(from.getTask()); }

inline void write(TaskId task, const std::string& actor, wire::CancelRedriveRequest::Builder to) {
  to.setTask(static_cast<std::uint64_t>(task));
  to.setActor(as_text(actor));
}
inline CancelRedriveCall read(wire::CancelRedriveRequest::Reader from) {
  return {.task = TaskId(from.getTask()), .actor = string(from.getActor())};
}

void write(const Result<TaskStatus>& from, wire::TaskReply::Builder to);
Result<TaskStatus> read(wire::TaskReply::Reader from);

void write(const Result<std::vector<TaskStatus>>& from, wire::ListRedrivesReply::Builder to);
Result<std::vector<TaskStatus>> read(wire::ListRedrivesReply::Reader from);

}  // namespace holdfast::convert
