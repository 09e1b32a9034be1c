// Checks that the scheduled messages of `scheduled` decode, have tickets that were given out, and are as many
// as the checkpoint says.
#include "engine/verify/checks.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

void check_schedule(const Facts& facts, const QueueFacts& queue, Findings& findings) {
  const std::string where = place("scheduled", queue.name, queue.id);
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  for_each_row(facts.reader, Family::kScheduled, keys::queue_begin(queue.id), keys::scheduled_end(queue.id),
               findings, [&](std::string_view key, std::string_view value) {
                 const auto at = keys::parse_scheduled(key);
                 if (!at) return findings.add("undecodable", where, "a key");
                 const std::string row =
                     where + ", ticket " + std::to_string(static_cast<std::uint64_t>(at->ticket));
                 const auto chunk = Chunk::decode(std::string(value));
                 if (!chunk) return findings.add("undecodable", row, chunk.error().message);
                 messages += (*chunk)->count();
                 for (const std::uint32_t size : (*chunk)->sizes()) bytes += size;
                 if (queue.checkpoint && at->ticket >= queue.checkpoint->next_ticket) {
                   findings.add("id_not_allocated", row, "the ticket is to be given out again");
                 }
               });
  if (!queue.checkpoint) return;
  const auto compare = [&](const std::string& what, std::uint64_t said, std::uint64_t counted) {
    if (said == counted) return;
    findings.add("count_wrong", place("catalog", queue.name, queue.id),
                 "the checkpoint says " + std::to_string(said) + " " + what + ", there are " +
                     std::to_string(counted));
  };
  compare("scheduled messages", queue.checkpoint->scheduled, messages);
  compare("bytes of scheduled messages", queue.checkpoint->scheduled_bytes, bytes);
}

}  // namespace

void check_scheduled(const Facts& facts, Findings& findings) {
  for (const auto& [id, queue] : facts.queues) check_schedule(facts, queue, findings);
}

}  // namespace holdfast::verify
