#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_query_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/enums.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {
namespace {

void write(const BulkPlace& from, wire::BulkPlace::Builder to) {
  to.setAfter(from.after.to_string());
  to.setEnd(static_cast<std::uint64_t>(from.end));
}

Result<BulkPlace> read(wire::BulkPlace::Reader from) {
  const auto after = DeadLetterCursor::parse(view(from.getAfter()));
  if (!after) return tl::unexpected(after.error());
  return BulkPlace{*after, Seq{from.getEnd()}};
}

void write(const BulkPart& from, wire::DeadLetterSelection::Builder to) {
  convert::write(from.selection.filter, to.initFilter());
  to.setAll(from.selection.all);
  to.setActor(as_text(from.selection.actor));
  to.setDryRun(from.selection.dry_run);
  if (from.from) write(*from.from, to.initFrom());
}

Result<BulkPart> read(wire::DeadLetterSelection::Reader from) {
  auto filter = convert::read(from.getFilter());
  if (!filter) return tl::unexpected(filter.error());
  BulkPart part{.selection = {.filter = std::move(*filter),
                              .all = from.getAll(),
                              .actor = string(from.getActor()),
                              .dry_run = from.getDryRun()}};
  if (from.hasFrom()) {
    const auto place = read(from.getFrom());
    if (!place) return tl::unexpected(place.error());
    part.from = *place;
  }
  return part;
}

}  // namespace

void write(std::string_view queue, const BulkPart& part, const DeadLetterChanges& changes,
           wire::ChangeDeadLettersRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  write(part, to.initSelection());
  if (changes.status) to.setStatus(same_number<wire::DeadLetterStatus>(*changes.status));
  if (changes.assignee) to.getAssignee().setSet(as_text(*changes.assignee));
  if (changes.note) to.getNote().setAdd(as_text(*changes.note));
}

Result<ChangeDeadLettersCall> read(wire::ChangeDeadLettersRequest::Reader from) {
  auto part = read(from.getSelection());
  if (!part) return tl::unexpected(part.error());
  ChangeDeadLettersCall call{.queue = view(from.getQueue()), .part = std::move(*part), .changes = {}};
  if (from.getStatus() != wire::DeadLetterStatus::ANY) {
    const auto status =
        read_number<DeadLetterStatus>(from.getStatus(), wire::DeadLetterStatus::ABANDONED, "status");
    if (!status) return tl::unexpected(status.error());
    call.changes.status = *status;
  }
  if (const auto assignee = from.getAssignee(); assignee.isSet())
    call.changes.assignee = string(assignee.getSet());
  if (const auto note = from.getNote(); note.isAdd()) call.changes.note = string(note.getAdd());
  return call;
}

void write(std::string_view queue, const BulkPart& part, wire::DiscardDeadLettersRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  write(part, to.initSelection());
}

Result<DiscardDeadLettersCall> read(wire::DiscardDeadLettersRequest::Reader from) {
  auto part = read(from.getSelection());
  if (!part) return tl::unexpected(part.error());
  return DiscardDeadLettersCall{.queue = view(from.getQueue()), .part = std::move(*part)};
}

void write(const Result<BulkPartChanged>& from, wire::DeadLettersChangedReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setChanged(from->changed.changed);
  ok.setUnchanged(from->changed.unchanged);
  ok.setRefused(from->changed.refused);
  if (from->next) write(*from->next, ok.initNext());
}

Result<BulkPartChanged> read(wire::DeadLettersChangedReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  BulkPartChanged changed{
      .changed = {.changed = ok.getChanged(), .unchanged = ok.getUnchanged(), .refused = ok.getRefused()}};
  if (ok.hasNext()) {
    const auto place = read(ok.getNext());
    if (!place) return tl::unexpected(place.error());
    changed.next = *place;
  }
  return changed;
}

void write(std::string_view queue, const std::vector<DeadLetter>& letters,
           wire::ImportDeadLettersRequest::Builder to) {
  set_text(to.initQueue(static_cast<unsigned>(queue.size())), queue);
  auto list = to.initLetters(static_cast<unsigned>(letters.size()));
  for (unsigned i = 0; i < list.size(); ++i) write(letters[i], list[i]);
}

Result<ImportDeadLettersCall> read(wire::ImportDeadLettersRequest::Reader from) {
  ImportDeadLettersCall call{.queue = view(from.getQueue()), .letters = {}};
  const auto list = from.getLetters();
  for (unsigned i = 0; i < size_to_check(list, limits::kListPage); ++i) {
    auto letter = read(list[i]);
    if (!letter) {
      return fail(ErrorCode::kInvalidArgument,
                  "letters[" + std::to_string(i) + "]: " + letter.error().message);
    }
    call.letters.push_back(std::move(*letter));
  }
  return call;
}

}  // namespace holdfast::convert
