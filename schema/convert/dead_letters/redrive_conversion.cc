#include "schema/convert/dead_letters/redrive_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/enums.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

wire::RedriveValue to_wire(RedriveValue value) {
  switch (value) {
    case RedriveValue::kFromDlq:
      return wire::RedriveValue::FROM_DLQ;
    case RedriveValue::kTime:
      return wire::RedriveValue::TIME;
    case RedriveValue::kReplays:
      return wire::RedriveValue::REPLAYS;
  }
  return wire::RedriveValue::UNKNOWN;
}

void write(const std::vector<ValueAttribute>& from, capnp::List<wire::ValueAttribute>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setName(as_text(from[i].name));
    to[i].setValue(to_wire(from[i].value));
  }
}

// An unknown value becomes 0, which is refused when the options are checked.
RedriveValue read(wire::RedriveValue value) {
  return value > wire::RedriveValue::REPLAYS ? RedriveValue{0} : static_cast<RedriveValue>(value);
}

// One that is none is refused when the options are checked.
RedriveAction read(wire::RedriveAction action) {
  return action > wire::RedriveAction::PARK ? RedriveAction{UINT8_MAX} : static_cast<RedriveAction>(action);
}

std::vector<ValueAttribute> read(capnp::List<wire::ValueAttribute>::Reader from) {
  std::vector<ValueAttribute> attributes;
  const unsigned size = size_to_check(from, limits::kAttributes);
  for (unsigned i = 0; i < size; ++i) {
    attributes.push_back({.name = string(from[i].getName()), .value = read(from[i].getValue())});
  }
  return attributes;
}

void write(const RedriveEdit& from, wire::RedriveEdit::Builder to) {
  to.setJsonPatch(as_text(from.json_patch));
  convert::write(from.set_attributes,
                 to.initSetAttributes(static_cast<unsigned>(from.set_attributes.size())));
  convert::write(from.drop_attributes,
                 to.initDropAttributes(static_cast<unsigned>(from.drop_attributes.size())));
  if (from.body) to.getBody().setReplace(as_data(*from.body));
  write(from.value_attributes, to.initValueAttributes(static_cast<unsigned>(from.value_attributes.size())));
}

RedriveEdit read(wire::RedriveEdit::Reader from) {
  RedriveEdit edit{.json_patch = string(from.getJsonPatch()),
                   .set_attributes = convert::read(from.getSetAttributes()),
                   .drop_attributes = convert::read(from.getDropAttributes(), limits::kAttributes),
                   .value_attributes = read(from.getValueAttributes())};
  if (from.getBody().isReplace()) edit.body = string(from.getBody().getReplace());
  return edit;
}

void write(const RedriveOptions& options, wire::RedriveOptions::Builder wire) {
  wire.setAction(same_number<wire::RedriveAction>(options.action));
  if (!options.filter.empty()) convert::write(options.filter, wire.initFilter());
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
  wire.setWait(options.wait);
  wire.setDryRun(options.dry_run);
  if (!options.redact.empty()) convert::write(options.redact, wire.initRedact());
}

Result<RedriveOptions> read(wire::RedriveOptions::Reader wire) {
  auto filter = convert::read(wire.getFilter());
  if (!filter) return tl::unexpected(filter.error());
  RedriveOptions options;
  options.action = read(wire.getAction());
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
  options.wait = wire.getWait();
  options.dry_run = wire.getDryRun();
  options.redact = convert::read(wire.getRedact());
  options.request_id = string(wire.getRequestId());
  return options;
}

}  // namespace

void write(std::string_view queue, const RedriveOptions& options, wire::RedriveRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  write(options, to.initOptions());
}

Result<RedriveCall> read(wire::RedriveRequest::Reader from) {
  auto options = read(from.getOptions());
  if (!options) return tl::unexpected(options.error());
  return RedriveCall{.queue = view(from.getQueue()), .options = std::move(*options)};
}

void write(const LeftInPlace& from, wire::LeftInPlace::Builder to) {
  to.setAbandoned(from.abandoned);
  to.setReplayLimit(from.replay_limit);
  to.setVersion(from.version);
  to.setEdit(from.edit);
  to.setNoQueue(from.no_queue);
  to.setLeased(from.leased);
}

LeftInPlace read(wire::LeftInPlace::Reader from) {
  return {.abandoned = from.getAbandoned(),
          .replay_limit = from.getReplayLimit(),
          .version = from.getVersion(),
          .edit = from.getEdit(),
          .no_queue = from.getNoQueue(),
          .leased = from.getLeased()};
}

void write(const Result<Redriven>& from, wire::RedriveReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setTask(static_cast<std::uint64_t>(from->task));
  ok.setMoved(from->moved);
  ok.setParked(from->parked);
  write(from->left, ok.initLeft());
  if (from->sample.empty()) return;
  auto sample = ok.initSample(static_cast<unsigned>(from->sample.size()));
  for (unsigned i = 0; i < sample.size(); ++i) write(from->sample[i], sample[i]);
}

Result<Redriven> read(wire::RedriveReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  Redriven done{.task = TaskId(ok.getTask()),
                .moved = ok.getMoved(),
                .parked = ok.getParked(),
                .left = read(ok.getLeft())};
  for (auto item : at_most(limits::kDryRunSample, ok.getSample())) {
    auto letter = read(item).map_error(as_server_fault);
    if (!letter) return tl::unexpected(letter.error());
    done.sample.push_back(std::move(*letter));
  }
  return done;
}

}  // namespace holdfast::convert
