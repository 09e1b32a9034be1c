#include "schema/convert/dead_letters/dead_letter_query_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/enums.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

template <class Text>
std::optional<std::string> text_if(bool has, Text text) {
  return has ? std::optional(string(text)) : std::nullopt;
}

}  // namespace

void write(const DeadLetterFilter& from, wire::DeadLetterFilter::Builder to) {
  if (!from.ids.empty()) {
    auto ids = to.initIds(static_cast<unsigned>(from.ids.size()));
    for (unsigned i = 0; i < ids.size(); ++i) write(from.ids[i], ids[i]);
  }
  if (!from.seqs.empty()) {
    auto seqs = to.initSeqs(static_cast<unsigned>(from.seqs.size()));
    for (unsigned i = 0; i < seqs.size(); ++i) seqs.set(i, static_cast<std::uint64_t>(from.seqs[i]));
  }
  if (from.died_from) to.setDiedFromMicros(micros(*from.died_from));
  if (from.died_before) to.setDiedBeforeMicros(micros(*from.died_before));
  if (from.cause) to.setCause(same_number<wire::DeathCause>(*from.cause));
  if (from.category) to.setCategory(as_text(*from.category));
  if (from.code) to.setCode(as_text(*from.code));
  if (from.fingerprint) to.getFingerprint().setOnly(static_cast<std::uint64_t>(*from.fingerprint));
  if (from.source) to.setSource(as_text(*from.source));
  if (from.consumer_version) to.setConsumerVersion(as_text(*from.consumer_version));
  if (from.status) to.setStatus(same_number<wire::DeadLetterStatus>(*from.status));
  if (from.assignee) to.setAssignee(as_text(*from.assignee));
  if (!from.reason.empty()) to.setReason(as_text(from.reason));
  to.setHistory(from.history);
  if (from.correlation_id) to.setCorrelationId(as_data(*from.correlation_id));
  if (from.workflow_version) to.setWorkflowVersion(as_data(*from.workflow_version));
  to.setMinReplays(from.min_replays);
  if (!from.attributes.empty())
    write(from.attributes, to.initAttributes(static_cast<unsigned>(from.attributes.size())));
  if (!from.body.empty()) to.setBody(as_text(from.body));
}

Result<DeadLetterFilter> read(wire::DeadLetterFilter::Reader from) {
  DeadLetterFilter filter;
  const auto ids = from.getIds();
  for (unsigned i = 0; i < size_to_check(ids, limits::kFilterIds); ++i) filter.ids.push_back(read(ids[i]));
  const auto seqs = from.getSeqs();
  for (unsigned i = 0; i < size_to_check(seqs, limits::kFilterIds); ++i) filter.seqs.push_back(Seq(seqs[i]));
  const Timestamp died_from = timestamp(from.getDiedFromMicros());
  const Timestamp died_before = timestamp(from.getDiedBeforeMicros());
  if (died_from != Timestamp::min()) filter.died_from = died_from;
  if (died_before != Timestamp::max()) filter.died_before = died_before;
  if (from.getCause() != wire::DeathCause::UNKNOWN) {
    const auto cause = read_number<DeathCause>(from.getCause(), wire::DeathCause::SENT, "filter.cause");
    if (!cause) return tl::unexpected(cause.error());
    filter.cause = *cause;
  }
  if (from.getStatus() != wire::DeadLetterStatus::ANY) {
    const auto status =
        read_number<DeadLetterStatus>(from.getStatus(), wire::DeadLetterStatus::ABANDONED, "filter.status");
    if (!status) return tl::unexpected(status.error());
    filter.status = *status;
  }
  filter.category = text_if(from.hasCategory(), from.getCategory());
  filter.code = text_if(from.hasCode(), from.getCode());
  if (const auto fingerprint = from.getFingerprint(); fingerprint.isOnly()) {
    filter.fingerprint = Fingerprint{fingerprint.getOnly()};
  }
  filter.source = text_if(from.hasSource(), from.getSource());
  filter.consumer_version = text_if(from.hasConsumerVersion(), from.getConsumerVersion());
  filter.assignee = text_if(from.hasAssignee(), from.getAssignee());
  filter.reason = string(from.getReason());
  filter.history = from.getHistory();
  filter.correlation_id = text_if(from.hasCorrelationId(), from.getCorrelationId());
  filter.workflow_version = text_if(from.hasWorkflowVersion(), from.getWorkflowVersion());
  filter.min_replays = from.getMinReplays();
  filter.attributes = read(from.getAttributes());
  filter.body = string(from.getBody());
  return filter;
}

void write(const DeadLetterCursor& from, wire::DeadLetterCursor::Builder to) {
  to.setHistory(from.history);
  to.setDiedAtMicros(micros(from.died_at));
  to.setSeq(static_cast<std::uint64_t>(from.seq));
}

DeadLetterCursor read(wire::DeadLetterCursor::Reader from) {
  return {
      .history = from.getHistory(), .died_at = timestamp(from.getDiedAtMicros()), .seq = Seq(from.getSeq())};
}

void write(const Redaction& from, wire::Redaction::Builder to) {
  to.setBodies(from.bodies);
  if (from.attributes.empty()) return;
  write(from.attributes, to.initAttributes(static_cast<unsigned>(from.attributes.size())));
}

Redaction read(wire::Redaction::Reader from) {
  return {.bodies = from.getBodies(), .attributes = read(from.getAttributes(), limits::kRedactedAttributes)};
}

void write(std::string_view queue, const GroupDeadLettersOptions& options,
           wire::GroupDeadLettersRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  to.setBy(same_number<wire::DeadLetterGrouping>(options.by));
  write(options.filter, to.initFilter());
  to.setMax(saturated(options.max));
  write(options.redact, to.initRedact());
}

Result<GroupDeadLettersCall> read(wire::GroupDeadLettersRequest::Reader from) {
  const auto by =
      read_number<DeadLetterGrouping>(from.getBy(), wire::DeadLetterGrouping::CONSUMER_VERSION, "by");
  if (!by) return tl::unexpected(by.error());
  auto filter = read(from.getFilter());
  if (!filter) return tl::unexpected(filter.error());
  return GroupDeadLettersCall{
      .queue = view(from.getQueue()),
      .options = {
          .by = *by, .filter = std::move(*filter), .max = from.getMax(), .redact = read(from.getRedact())}};
}

void write(const Result<DeadLetterGroups>& from, wire::GroupDeadLettersReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto groups = ok.initGroups(static_cast<unsigned>(from->groups.size()));
  for (unsigned i = 0; i < groups.size(); ++i) {
    const DeadLetterGroup& group = from->groups[i];
    groups[i].setValue(as_text(group.value));
    groups[i].setCount(group.count);
    groups[i].setFirstDiedAtMicros(micros(group.first_died_at));
    groups[i].setLastDiedAtMicros(micros(group.last_died_at));
    write(group.sample, groups[i].initSample());
  }
  ok.setLeftOut(from->left_out);
  ok.setTotal(from->total);
  ok.setComplete(from->complete);
}

Result<DeadLetterGroups> read(wire::GroupDeadLettersReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  DeadLetterGroups result{
      .groups = {}, .left_out = ok.getLeftOut(), .total = ok.getTotal(), .complete = ok.getComplete()};
  for (const auto group : at_most(limits::kListPage, ok.getGroups())) {
    auto sample = read(group.getSample()).map_error(as_server_fault);
    if (!sample) return tl::unexpected(sample.error());
    result.groups.push_back({.value = string(group.getValue()),
                             .count = group.getCount(),
                             .first_died_at = timestamp(group.getFirstDiedAtMicros()),
                             .last_died_at = timestamp(group.getLastDiedAtMicros()),
                             .sample = std::move(*sample)});
  }
  return result;
}

}  // namespace holdfast::convert
