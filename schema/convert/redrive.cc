#include "convert/redrive.h"

#include "convert/bytes.h"
#include "convert/dead_letter_query.h"
#include "convert/error.h"
#include "convert/value.h"

namespace holdfast::convert {
namespace {

void write(const RedriveEdit& from, wire::RedriveEdit::Builder to) {
  to.setJsonPatch(as_text(from.json_patch));
  convert::write(from.set_attributes,
                 to.initSetAttributes(static_cast<unsigned>(from.set_attributes.size())));
  auto drop = to.initDropAttributes(static_cast<unsigned>(from.drop_attributes.size()));
  for (unsigned i = 0; i < drop.size(); ++i) drop.set(i, as_text(from.drop_attributes[i]));
  if (from.body) to.getBody().setReplace(as_data(*from.body));
}

RedriveEdit read(wire::RedriveEdit::Reader from) {
  RedriveEdit edit{.json_patch = string(from.getJsonPatch()),
                   .set_attributes = convert::read(from.getSetAttributes())};
  for (auto name : from.getDropAttributes()) edit.drop_attributes.push_back(string(name));
  if (from.getBody().isReplace()) edit.body = string(from.getBody().getReplace());
  return edit;
}

}  // namespace

void write(std::string_view queue, const RedriveOptions& options, wire::RedriveRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  auto wire = to.initOptions();
  if (!options.filter.empty()) write(options.filter, wire.initFilter());
  wire.setMax(options.max);
  wire.setMaxReplays(options.max_replays);
  wire.setParkRefused(options.park_refused);
  wire.setUnlessVersion(as_text(options.unless_version));
  wire.setTo(as_text(options.to));
  wire.setRate(options.rate);
  if (!options.edit.empty()) write(options.edit, wire.initEdit());
  wire.setActor(as_text(options.actor));
  wire.setCanary(options.canary);
  wire.setCanaryPercent(options.canary_percent);
  wire.setRequestId(as_text(options.request_id));
}

Result<RedriveCall> read(wire::RedriveRequest::Reader from) {
  const auto wire = from.getOptions();
  auto filter = read(wire.getFilter());
  if (!filter) return tl::unexpected(filter.error());
  RedriveCall call{.queue = view(from.getQueue()), .options = {}};
  RedriveOptions& options = call.options;
  options.filter = std::move(*filter);
  options.max = wire.getMax();
  options.max_replays = wire.getMaxReplays();
  options.park_refused = wire.getParkRefused();
  options.unless_version = string(wire.getUnlessVersion());
  options.to = string(wire.getTo());
  options.rate = wire.getRate();
  options.edit = read(wire.getEdit());
  options.actor = string(wire.getActor());
  options.canary = wire.getCanary();
  options.canary_percent = wire.getCanaryPercent();
  options.request_id = string(wire.getRequestId());
  return call;
}

void write(const Result<Redriven>& from, wire::RedriveReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setTask(static_cast<std::uint64_t>(from->task));
  ok.setMoved(from->moved);
  ok.setSkipped(from->skipped);
  ok.setParked(from->parked);
}

Result<Redriven> read(wire::RedriveReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return Redriven{.task = TaskId(ok.getTask()),
                  .moved = ok.getMoved(),
                  .skipped = ok.getSkipped(),
                  .parked = ok.getParked()};
}

void write(const Result<TaskId>& from, wire::StartRedriveReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  to.setTask(static_cast<std::uint64_t>(*from));
}

Result<TaskId> read(wire::StartRedriveReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  return TaskId(from.getTask());
}

void write(TaskId task, wire::TaskRequest::Builder to) { to.setTask(static_cast<std::uint64_t>(task)); }

TaskId read(wire::TaskRequest::Reader from) { return TaskId(from.getTask()); }

void write(const Result<RedrivePreview>& from, wire::PreviewRedriveReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setMove(from->move);
  ok.setSkip(from->skip);
  ok.setPark(from->park);
  auto sample = ok.initSample(static_cast<unsigned>(from->sample.size()));
  for (unsigned i = 0; i < sample.size(); ++i) write(from->sample[i], sample[i]);
}

Result<RedrivePreview> read(wire::PreviewRedriveReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  RedrivePreview preview{.move = ok.getMove(), .skip = ok.getSkip(), .park = ok.getPark(), .sample = {}};
  for (auto item : ok.getSample()) {
    auto letter = read(item);
    if (!letter) return tl::unexpected(letter.error());
    preview.sample.push_back(std::move(*letter));
  }
  return preview;
}

}  // namespace holdfast::convert
