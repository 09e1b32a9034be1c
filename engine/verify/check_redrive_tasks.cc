// Checks that redrive tasks decode and have numbers that were given out.
#include "engine/codec/rows/redrive_task.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {

void check_redrive_tasks(const Facts& facts, Findings& findings) {
  for_each_row(facts.reader, Family::kRedriveTasks, {}, kKeysEnd, findings,
               [&](std::string_view key, std::string_view value) {
                 if (const auto counted = keys::parse_task_outcomes(key)) {
                   const auto counts = decode_replay_counts(value);
                   if (!counts)
                     findings.add("undecodable", "redrive_tasks: outcomes", counts.error().message);
                   return;
                 }
                 const auto id = keys::parse_task(key);
                 if (!id) return findings.add("undecodable", "redrive_tasks", "a key");
                 const auto number = static_cast<std::uint64_t>(*id);
                 const std::string where = "redrive_tasks: task " + std::to_string(number);
                 const auto task = decode_redrive_task(value);
                 if (!task) return findings.add("undecodable", where, task.error().message);
                 if (task->cursor > task->end) findings.add("cursor_past_end", where, "it is past its end");
                 if (number >= facts.allocation.next_task_id) {
                   findings.add("id_not_allocated", where, "the number is to be given out again");
                 }
               });
}

}  // namespace holdfast::verify
