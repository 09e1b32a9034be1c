// The facts are the catalog as it is stored. The other rows are checked against it.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/storage/store.h"
#include "engine/verify/findings.h"

namespace holdfast::verify {

// QueueFacts has what is known of a queue that has a definition or a checkpoint.
struct QueueFacts {
  QueueId id{};
  std::string name;  // "?" if the definition is lost
  std::optional<QueueDefinition> definition;
  std::optional<QueueCheckpoint> checkpoint;
};

struct Facts {
  const Reader& reader;
  std::map<QueueId, QueueFacts> queues;
  AllocationRow allocation;
};

// Returns how many lanes the queue has.
inline std::size_t lane_count(const QueueCheckpoint& checkpoint) { return 1 + checkpoint.lanes.size(); }
// Returns where the lane of `seq` stood.
LaneCheckpoint lane_at(const QueueCheckpoint& checkpoint, Seq seq);

// Reads the catalog. Reports its rows that are missing or do not decode.
Facts read_facts(const Reader& reader, Findings& findings);

}  // namespace holdfast::verify
