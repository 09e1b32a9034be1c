// get_dead_letter() asks for a page of one dead letter, history included. So it needs no call of its own in
// the engine or in the protocol, and works for every broker.
#include "holdfast/dead_letter_verbs.h"

#include <utility>

namespace holdfast {
namespace {

Result<DeadLetter> find_one(DeadLetterVerbs& broker, std::string_view queue, DeadLetterFilter filter,
                            Redaction redact) {
  filter.history = true;
  auto page = broker.list_dead_letters(
      queue, {.filter = std::move(filter), .max = 1, .bodies = true, .redact = std::move(redact)});
  if (!page) return tl::unexpected(page.error());
  if (!page->items.empty()) return std::move(page->items.front());
  return fail(ErrorCode::kMessageNotFound, "no such dead letter");
}

}  // namespace

Result<DeadLetter> DeadLetterVerbs::get_dead_letter(std::string_view queue, const MessageId& id,
                                                    Redaction redact) {
  return find_one(*this, queue, {.ids = {id}}, std::move(redact));
}

Result<DeadLetter> DeadLetterVerbs::get_dead_letter(std::string_view queue, Seq seq, Redaction redact) {
  return find_one(*this, queue, {.seqs = {seq}}, std::move(redact));
}

}  // namespace holdfast
