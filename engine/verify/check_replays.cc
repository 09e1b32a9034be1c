// Checks that the outcomes of replayed messages and the originals of edited ones decode.
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

// Returns why a row beside history's records does not decode, or nothing if it does.
std::string fault_beside_record(std::string_view key, std::string_view value) {
  if (keys::parse_outcome(key)) {
    const auto outcome = decode_replay(value);
    return outcome ? std::string() : outcome.error().message;
  }
  if (!keys::parse_original(key)) return "a key";
  const auto original = decode_original(value);
  return original ? std::string() : original.error().message;
}

}  // namespace

void check_replays(const Facts& facts, Findings& findings) {
  for (const auto& [id, queue] : facts.queues) {
    const std::string where = place("dead_letter_history", queue.name, id);
    for_each_row(facts.reader, Family::kHistory, keys::history_end(id), keys::queue_end(id), findings,
                 [&](std::string_view key, std::string_view value) {
                   const std::string fault = fault_beside_record(key, value);
                   if (!fault.empty()) findings.add("undecodable", where, fault);
                 });
  }
}

}  // namespace holdfast::verify
