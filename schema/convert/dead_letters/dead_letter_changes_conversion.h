// Converts changeDeadLetters, discardDeadLetters and importDeadLetters between the API and the protocol. The
// string views in calls point into the request.
#pragma once

#include <string_view>

#include "engine/base/helpers/bulk_part.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/wire/dead_letter.capnp.h"
#include "schema/convert/values/error_conversion.h"

namespace holdfast::convert {

struct ChangeDeadLettersCall {
  std::string_view queue;
  BulkPart part;
  DeadLetterChanges changes;
};

struct DiscardDeadLettersCall {
  std::string_view queue;
  BulkPart part;
};

void write(std::string_view queue, const BulkPart& part, const DeadLetterChanges& changes,
           wire::ChangeDeadLettersRequest::Builder to);
Result<ChangeDeadLettersCall> read(wire::ChangeDeadLettersRequest::Reader from);

void write(std::string_view queue, const BulkPart& part, wire::DiscardDeadLettersRequest::Builder to);
Result<DiscardDeadLettersCall> read(wire::DiscardDeadLettersRequest::Reader from);

void write(const Result<BulkPartChanged>& from, wire::DeadLettersChangedReply::Builder to);
Result<BulkPartChanged> read(wire::DeadLettersChangedReply::Reader from);

struct ImportDeadLettersCall {
  std::string_view queue;
  std::vector<DeadLetter> letters;
};

// Reads at most one dead letter more than a call may have, so that a call with too many is refused.
void write(std::string_view queue, const std::vector<DeadLetter>& letters,
           wire::ImportDeadLettersRequest::Builder to);
Result<ImportDeadLettersCall> read(wire::ImportDeadLettersRequest::Reader from);

inline void write(const Result<DeadLettersImported>& from, wire::ImportDeadLettersReply::Builder to) {
  if (!from) return write(from.error(), to.initError());
  auto ok = to.initOk();
  ok.setImported(from->imported);
  ok.setDuplicates(from->duplicates);
  ok.setRefused(from->refused);
}
inline Result<DeadLettersImported> read(wire::ImportDeadLettersReply::Reader from) {
  if (from.isError()) return tl::unexpected(read(from.getError()));
  const auto ok = from.getOk();
  return DeadLettersImported{
      .imported = ok.getImported(), .duplicates = ok.getDuplicates(), .refused = ok.getRefused()};
}

}  // namespace holdfast::convert
