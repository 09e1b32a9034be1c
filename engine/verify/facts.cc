#include "engine/verify/facts.h"

#include "engine/core/seq_math.h"
#include "engine/verify/rows.h"

namespace holdfast::verify {
namespace {

void read_format(const Reader& reader, Findings& findings) {
  const auto row = reader.get(Family::kCatalog, keys::kFormatRow);
  if (!row) return findings.add("unreadable", "catalog: format row", row.error().message);
  if (!row->has_value()) return findings.add("format_missing", "catalog: format row", "it is missing");
  const auto version = decode_format_row(**row);
  if (!version) return findings.add("undecodable", "catalog: format row", version.error().message);
  if (*version > kFormatVersion) {
    findings.add("format_unknown", "catalog: format row",
                 "format " + std::to_string(*version) + " is newer than this version reads");
  }
}

void read_allocation(Facts& facts, Findings& findings) {
  const auto row = facts.reader.get(Family::kCatalog, keys::kAllocationRow);
  if (!row) return findings.add("unreadable", "catalog: allocation row", row.error().message);
  if (!row->has_value())
    return findings.add("allocation_missing", "catalog: allocation row", "it is missing");
  const auto decoded = decode_allocation_row(**row);
  if (!decoded) return findings.add("undecodable", "catalog: allocation row", decoded.error().message);
  facts.allocation = *decoded;
}

QueueFacts& facts_of(Facts& facts, QueueId id) {
  return facts.queues.try_emplace(id, QueueFacts{.id = id, .name = "?", .definition = {}, .checkpoint = {}})
      .first->second;
}

void read_definitions(Facts& facts, Findings& findings) {
  for_each_row(facts.reader, Family::kCatalog, keys::kDefinitionsBegin, keys::kDefinitionsEnd, findings,
               [&](std::string_view key, std::string_view value) {
                 const auto id = keys::parse_queue_row(key);
                 if (!id) return findings.add("undecodable", "catalog: a queue's definition", "its key");
                 QueueFacts& queue = facts_of(facts, *id);
                 auto definition = decode_queue_definition(value);
                 if (!definition) {
                   return findings.add("undecodable", place("catalog", "?", *id), definition.error().message);
                 }
                 queue.name = definition->name;
                 queue.definition = std::move(*definition);
               });
}

void read_checkpoints(Facts& facts, Findings& findings) {
  for_each_row(facts.reader, Family::kCatalog, keys::kCheckpointsBegin, keys::kCheckpointsEnd, findings,
               [&](std::string_view key, std::string_view value) {
                 const auto id = keys::parse_queue_row(key);
                 if (!id) return findings.add("undecodable", "catalog: a queue's checkpoint", "its key");
                 QueueFacts& queue = facts_of(facts, *id);
                 const auto checkpoint = decode_queue_checkpoint(value);
                 if (!checkpoint) {
                   return findings.add("undecodable", place("catalog", queue.name, *id),
                                       checkpoint.error().message);
                 }
                 queue.checkpoint = *checkpoint;
               });
}

}  // namespace

LaneCheckpoint lane_at(const QueueCheckpoint& checkpoint, Seq seq) {
  const std::size_t lane = lane_of(seq);
  if (lane == 0) return {checkpoint.next_seq, checkpoint.cursor, checkpoint.fresh, checkpoint.bytes};
  if (lane < lane_count(checkpoint)) return checkpoint.lanes[lane - 1];
  return {lane_begin(lane), lane_begin(lane), 0, 0};
}

Facts read_facts(const Reader& reader, Findings& findings) {
  Facts facts{.reader = reader, .queues = {}, .allocation = {}};
  read_format(reader, findings);
  read_allocation(facts, findings);
  read_definitions(facts, findings);
  read_checkpoints(facts, findings);
  return facts;
}

}  // namespace holdfast::verify
