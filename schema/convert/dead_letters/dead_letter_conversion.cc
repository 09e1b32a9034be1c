#include "schema/convert/dead_letters/dead_letter_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
void write(std::string_view queue, const ListDeadLettersOptions& options,
           wire::ListDeadLettersRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  if (options.after) write(*options.after, to.getStart().initAfter());
  to.setMax(saturated(options.max));
  write(options.filter, to.initFilter());
  to.setBodies(options.bodies);
  to.setNewestFirst(options.newest_first);
  write(options.redact, to.initRedact());
}

Result<ListDeadLettersCall> read(wire::ListDeadLettersRequest::Reader from) {
  if (auto ok = check_count("max", from.getMax(), limits::kListPage); !ok) {
    return tl::unexpected(ok.error());
  }
  auto filter = read(from.getFilter());
  if (!filter) return tl::unexpected(filter.error());
  ListDeadLettersCall call{.queue = view(from.getQueue()),
                           .options = {.filter = std::move(*filter),
                                       .max = from.getMax(),
                                       .bodies = from.getBodies(),
                                       .newest_first = from.getNewestFirst(),
                                       .redact = read(from.getRedact())}};
  if (auto start = from.getStart(); start.isAfter()) call.options.after = read(start.getAfter());
  return call;
}

void write(const Result<DeadLetterPage>& from, wire::ListDeadLettersReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto items = ok.initItems(static_cast<unsigned>(from->items.size()));
  for (unsigned i = 0; i < items.size(); ++i) write(from->items[i], items[i]);
  if (from->next) write(*from->next, ok.getNext().initAfter());
  ok.setTimeMicros(micros(from->time));
}

Result<DeadLetterPage> read(wire::ListDeadLettersReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  const auto items = at_most(limits::kListPage, ok.getItems());
  DeadLetterPage page{.items = {}, .next = {}, .time = timestamp(ok.getTimeMicros())};
  page.items.reserve(items.size());
  for (auto item : items) {
    auto dead_letter = read(item).map_error(as_server_fault);
    if (!dead_letter) return tl::unexpected(dead_letter.error());
    page.items.push_back(std::move(*dead_letter));
  }
  if (auto next = ok.getNext(); next.isAfter()) page.next = read(next.getAfter());
  return page;
}

}  // namespace holdfast::convert
