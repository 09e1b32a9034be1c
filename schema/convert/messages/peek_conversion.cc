#include "schema/convert/messages/peek_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

void write(const ScheduledPlace& from, wire::ScheduledPlace::Builder to) {
  to.setDueMicros(micros(from.due));
  to.setRow(from.row);
  to.setIndex(from.index);
}

ScheduledPlace read(wire::ScheduledPlace::Reader from) {
  return {timestamp(from.getDueMicros()), from.getRow(), from.getIndex()};
}

void write(const PeekedMessage& from, wire::PeekedMessage::Builder to) {
  if (from.scheduled) write(*from.scheduled, to.getScheduled().initPlace());
  to.setSeq(static_cast<std::uint64_t>(from.seq));
  convert::write(from.id, to.initId());
  to.setState(static_cast<wire::MessageState>(from.state));
  to.setSentAtMicros(micros(from.sent_at));
  if (from.due) to.getDue().setMicros(micros(*from.due));
  if (from.expires_at) to.getExpiresAt().setMicros(micros(*from.expires_at));
  to.setDeliveries(from.deliveries);
  to.setReplays(from.replays);
  if (!from.body.empty()) to.setBody(as_data(from.body));
  if (!from.attributes.empty()) {
    convert::write(from.attributes, to.initAttributes(static_cast<unsigned>(from.attributes.size())));
  }
  if (!from.redacted.empty())
    convert::write(from.redacted, to.initRedacted(static_cast<unsigned>(from.redacted.size())));
}

Result<PeekedMessage> read(wire::PeekedMessage::Reader from) {
  const auto state = static_cast<unsigned>(from.getState());
  if (state == 0 || state > static_cast<unsigned>(MessageState::kLeased)) {
    return fail(ErrorCode::kInternal, "state: unknown value " + std::to_string(state));
  }
  PeekedMessage message{.seq = Seq(from.getSeq()),
                        .scheduled = {},
                        .id = convert::read(from.getId()),
                        .state = static_cast<MessageState>(state),
                        .sent_at = timestamp(from.getSentAtMicros()),
                        .due = {},
                        .expires_at = {},
                        .deliveries = from.getDeliveries(),
                        .replays = from.getReplays(),
                        .body = string(from.getBody()),
                        .attributes = convert::read(from.getAttributes()),
                        .redacted = convert::read(from.getRedacted(), kRedacted)};
  if (auto due = from.getDue(); due.isMicros()) message.due = timestamp(due.getMicros());
  if (auto at = from.getScheduled(); at.isPlace()) message.scheduled = read(at.getPlace());
  if (auto end = from.getExpiresAt(); end.isMicros()) message.expires_at = timestamp(end.getMicros());
  return message;
}

}  // namespace

void write(std::string_view queue, const PeekOptions& options, wire::PeekRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  if (options.from) to.getStart().setFrom(static_cast<std::uint64_t>(*options.from));
  if (options.from_scheduled) write(*options.from_scheduled, to.getStart().initFromScheduled());
  to.setScheduled(options.scheduled);
  if (options.id) convert::write(*options.id, to.getId().initOnly());
  to.setMax(saturated(options.max));
  to.setBodies(options.bodies);
  if (!options.redact.empty()) convert::write(options.redact, to.initRedact());
}

Result<PeekCall> read(wire::PeekRequest::Reader from) {
  if (auto ok = check_count("max", from.getMax(), limits::kListPage); !ok) {
    return tl::unexpected(ok.error());
  }
  PeekCall call{.queue = view(from.getQueue()),
                .options = {.max = from.getMax(),
                            .bodies = from.getBodies(),
                            .scheduled = from.getScheduled(),
                            .redact = convert::read(from.getRedact())}};
  const auto start = from.getStart();
  if (start.isFrom()) call.options.from = Seq(start.getFrom());
  if (start.isFromScheduled()) call.options.from_scheduled = read(start.getFromScheduled());
  if (auto id = from.getId(); id.isOnly()) call.options.id = convert::read(id.getOnly());
  return call;
}

void write(const Result<PeekPage>& from, wire::PeekReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto items = ok.initItems(static_cast<unsigned>(from->items.size()));
  for (unsigned i = 0; i < items.size(); ++i) write(from->items[i], items[i]);
  if (from->next) ok.getNext().setFrom(static_cast<std::uint64_t>(*from->next));
  if (from->next_scheduled) write(*from->next_scheduled, ok.getNext().initFromScheduled());
}

Result<PeekPage> read(wire::PeekReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  PeekPage page;
  for (auto item : at_most(limits::kListPage, ok.getItems())) {
    auto message = read(item);
    if (!message) return tl::unexpected(message.error());
    page.items.push_back(std::move(*message));
  }
  const auto next = ok.getNext();
  if (next.isFrom()) page.next = Seq(next.getFrom());
  if (next.isFromScheduled()) page.next_scheduled = read(next.getFromScheduled());
  return page;
}

}  // namespace holdfast::convert
