#include "schema/convert/dead_letters/find_dead_letters_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

void write(const FindCursor& from, wire::FindCursor::Builder to) {
  to.setQueue(as_text(from.queue));
  if (!from.letter) return;
  to.setStarted(true);
  to.setHistory(from.letter->history);
  to.setDiedAtMicros(micros(from.letter->died_at));
  to.setSeq(static_cast<std::uint64_t>(from.letter->seq));
}

FindCursor read(wire::FindCursor::Reader from) {
  FindCursor cursor{.queue = string(from.getQueue()), .letter = {}};
  if (from.getStarted()) {
    cursor.letter = {.history = from.getHistory(),
                     .died_at = timestamp(from.getDiedAtMicros()),
                     .seq = Seq(from.getSeq())};
  }
  return cursor;
}

}  // namespace

void write(const FindDeadLettersOptions& options, wire::FindDeadLettersRequest::Builder to) {
  write(options.filter, to.initFilter());
  write(options.queues, to.initQueues(static_cast<unsigned>(options.queues.size())));
  if (options.after) write(*options.after, to.getStart().initAfter());
  to.setMax(saturated(options.max));
  to.setBodies(options.bodies);
  write(options.redact, to.initRedact());
}

Result<FindDeadLettersOptions> read(wire::FindDeadLettersRequest::Reader from) {
  if (auto ok = check_count("max", from.getMax(), limits::kListPage); !ok) return tl::unexpected(ok.error());
  auto filter = read(from.getFilter());
  if (!filter) return tl::unexpected(filter.error());
  FindDeadLettersOptions options{.filter = std::move(*filter),
                                 .queues = read(from.getQueues(), limits::kFindQueues),
                                 .after = {},
                                 .max = from.getMax(),
                                 .bodies = from.getBodies(),
                                 .redact = read(from.getRedact())};
  if (const auto start = from.getStart(); start.isAfter()) options.after = read(start.getAfter());
  return options;
}

void write(const Result<FoundDeadLetters>& from, wire::FindDeadLettersReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  auto items = ok.initItems(static_cast<unsigned>(from->items.size()));
  for (unsigned i = 0; i < items.size(); ++i) {
    items[i].setQueue(as_text(from->items[i].queue));
    write(from->items[i].letter, items[i].initLetter());
  }
  if (from->next) write(*from->next, ok.getNext().initAfter());
  write(from->scanned, ok.initScanned(static_cast<unsigned>(from->scanned.size())));
  ok.setTimeMicros(micros(from->time));
}

Result<FoundDeadLetters> read(wire::FindDeadLettersReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  FoundDeadLetters found{.items = {},
                         .next = {},
                         .scanned = read(ok.getScanned(), limits::kListExamined),
                         .time = timestamp(ok.getTimeMicros())};
  const auto items = at_most(limits::kListPage, ok.getItems());
  found.items.reserve(items.size());
  for (const auto item : items) {
    auto letter = read(item.getLetter()).map_error(as_server_fault);
    if (!letter) return tl::unexpected(letter.error());
    found.items.push_back({string(item.getQueue()), std::move(*letter)});
  }
  if (const auto next = ok.getNext(); next.isAfter()) found.next = read(next.getAfter());
  return found;
}

}  // namespace holdfast::convert
