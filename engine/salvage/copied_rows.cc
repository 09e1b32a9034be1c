#include "engine/salvage/copied_rows.h"

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/dedup_row.h"
#include "engine/codec/rows/redrive_task.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/codec/rows/request_row.h"

namespace holdfast::salvage {
namespace {

bool decodes_in_catalog(std::string_view key, std::string_view value) {
  if (!key.starts_with(keys::kArrivalsBegin)) return true;
  return keys::parse_arrivals(key) && decode_arrivals_row(value);
}

bool decodes_in_dedup(std::string_view key, std::string_view value) {
  if (is_answer(key)) return keys::parse_request_bucket(key) && decode_request_row(value);
  return keys::parse_dedup_bucket(key) && decode_dedup_row(value);
}

bool decodes_in_tasks(std::string_view key, std::string_view value) {
  if (keys::parse_task_outcomes(key)) return decode_replay_counts(value).has_value();
  return keys::parse_task(key) && decode_redrive_task(value);
}

}  // namespace

bool is_answer(std::string_view key) { return key >= keys::requests_before(0) && key < keys::kRequestsEnd; }

bool decodes(Family family, std::string_view key, std::string_view value) {
  switch (family) {
    case Family::kCatalog:
      return decodes_in_catalog(key, value);
    case Family::kDedup:
      return decodes_in_dedup(key, value);
    case Family::kRedriveTasks:
      return decodes_in_tasks(key, value);
    default:
      return true;
  }
}

}  // namespace holdfast::salvage
