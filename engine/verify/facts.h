// The catalog as it is stored: what the other rows are held against.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/storage/store.h"
#include "engine/verify/findings.h"

namespace holdfast::verify {

// Of a queue that has a definition or a checkpoint.
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

// Where the lane of `seq` stood.
LaneCheckpoint lane_at(const QueueCheckpoint& checkpoint, Seq seq);

// Reads the catalog; reports the rows of it that do not decode or are missing.
Facts read_facts(const Reader& reader, Findings& findings);

}  // namespace holdfast::verify
