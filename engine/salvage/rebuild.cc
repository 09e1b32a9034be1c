#include "engine/salvage/rebuild.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/salvage/copied_rows.h"
#include "engine/salvage/queue_rebuilder.h"
#include "engine/salvage/writer.h"
#include "engine/storage/application_keys.h"
#include "engine/storage/rows.h"

namespace holdfast {
namespace salvage {
namespace {

using Names = std::set<std::string, std::less<>>;

class Rebuild {
 public:
  Rebuild(const Reader& from, Store& to, SalvageReport& report)
      : from_(from),
        writer_(to),
        report_(report),
        losses_(report.losses, report.found),
        facts_(verify::read_facts(from, losses_)) {
    for (const auto& [id, queue] : facts_.queues) {
      if (queue.checkpoint) latest_ = std::max(latest_, queue.checkpoint->written_at);
    }
  }

  Result<void> run(std::uint64_t salt) {
    if (auto ok = check_format(); !ok) return ok;
    keep_names_apart();
    if (auto ok = bring_queues(); !ok) return ok;
    for (const Family family : {Family::kCatalog, Family::kDedup, Family::kRedriveTasks}) {
      if (auto ok = bring_rows(family, kKeysEnd); !ok) return ok;
    }
    if (auto ok = bring_application_families(); !ok) return ok;
    if (auto ok = bring_catalog(salt); !ok) return ok;
    return writer_.finish();
  }

 private:
  // Rows of a newer format may decode and mean something else. A row that is lost, or does not decode, has
  // been reported.
  Result<void> check_format() const {
    const auto row = from_.get(Family::kCatalog, keys::kFormatRow);
    if (!row) return tl::unexpected(row.error());
    const auto readable = row->has_value() ? check_format_row(**row) : Result<void>();
    const bool is_newer = !readable && readable.error().code == ErrorCode::kFormatTooNew;
    return is_newer ? readable : Result<void>();
  }

  // Damage can leave two queues with one name, or name a dead letter queue that is lost.
  void keep_names_apart() {
    for (auto& [id, queue] : facts_.queues) {
      if (queue.definition && !queue_names_.insert(queue.name).second) queue.definition.reset();
    }
    for (auto& [id, queue] : facts_.queues) {
      if (!queue.definition) continue;
      QueueOptions& options = queue.definition->options;
      const auto is_lost = [&, id = id, &name = queue.name](const std::string& target) {
        if (target.empty() || queue_names_.contains(target)) return false;
        losses_.add("definition_lost", verify::place("catalog", name, id),
                    "its dead letter queue or parking queue '" + target + "' is lost; it has none now");
        return true;
      };
      if (is_lost(options.dead_letters.queue)) options.dead_letters.queue.clear();
      if (is_lost(options.dead_letters.parking_queue)) options.dead_letters.parking_queue.clear();
      std::erase_if(options.dead_letters.routes,
                    [&](const DeadLetterRoute& route) { return is_lost(route.queue); });
    }
  }

  // Returns a name that nobody has.
  static std::string free_name(std::string name, const Names& taken) {
    while (taken.contains(name)) name += "-";
    return name;
  }

  // Returns what is known of a queue, which is nothing if its catalog rows are lost. A queue without a
  // definition gets a name.
  verify::QueueFacts& facts_of(QueueId id) {
    verify::QueueFacts& queue =
        facts_.queues
            .try_emplace(id, verify::QueueFacts{.id = id, .name = {}, .definition = {}, .checkpoint = {}})
            .first->second;
    if (!queue.definition)
      queue.name = free_name("salvaged-" + std::to_string(static_cast<std::uint64_t>(id)), queue_names_);
    return queue;
  }

  // Finds queues whose catalog rows are lost, and whose messages all wait for a time or have died and left.
  Result<void> find_other_queues() {
    for (const Family family : {Family::kScheduled, Family::kHistory, Family::kJournal}) {
      for (std::string from;;) {
        const auto rows = from_.scan(family, from, kKeysEnd);
        if (auto ok = rows->status(); !ok) return ok;
        if (!rows->valid()) break;
        const auto id = keys::parse_queue(rows->key());
        if (id) facts_of(*id);
        from = id ? keys::queue_end(*id) : std::string(rows->key()) + '\0';
      }
    }
    return {};
  }

  Result<void> bring_queues() {
    std::optional<QueueRebuilder> rebuilder;
    std::set<QueueId> done;
    const auto bring = [&](std::string_view bytes, std::string_view value) -> Result<void> {
      const auto key = keys::parse_queue_seq(bytes);
      if (!key) return {};
      if (done.insert(key->queue).second) {
        if (rebuilder) {
          if (auto ok = rebuilder->end(); !ok) return ok;
        }
        rebuilder.emplace(from_, facts_of(key->queue), latest_, writer_, losses_, report_);
      }
      return rebuilder->chunk(key->seq, value);
    };
    if (auto ok = for_each_row(from_, Family::kMessages, {}, kKeysEnd, bring); !ok) return ok;
    if (rebuilder) {
      if (auto ok = rebuilder->end(); !ok) return ok;
    }
    if (auto ok = find_other_queues(); !ok) return ok;
    // The remaining queues have no message in the log.
    for (const auto& [id, queue] : facts_.queues) {
      if (done.contains(id)) continue;
      QueueRebuilder empty(from_, facts_of(id), latest_, writer_, losses_, report_);
      if (auto ok = empty.end(); !ok) return ok;
    }
    return {};
  }

  // Returns whether a row of the catalog is made up anew or brought over by itself, or is one that opening
  // makes from what else is there.
  static bool is_rebuilt(Family family, std::string_view key) {
    return family == Family::kCatalog &&
           (key == keys::kFormatRow || key == keys::kAllocationRow || key == keys::kRequestTimeRow ||
            key.starts_with(keys::kDefinitionsBegin) || key.starts_with(keys::kCheckpointsBegin) ||
            key.starts_with(keys::kFamiliesBegin));
  }

  // Returns whether the row counts arrivals or deduplicates for a queue that is lost altogether.
  bool is_orphaned(Family family, std::string_view key) const {
    if (family == Family::kDedup) {
      const auto queue = keys::parse_queue(key);
      return !is_answer(key) && queue && !facts_.queues.contains(*queue);
    }
    if (family != Family::kCatalog) return false;
    const auto arrivals = keys::parse_arrivals(key);
    return arrivals && !facts_.queues.contains(arrivals->queue);
  }

  // Brings over rows that need no other rows. Opening would refuse those that do not decode.
  Result<void> bring_rows(Family family, const std::string& end) {
    return for_each_row(from_, family, {}, end, [&](std::string_view key, std::string_view value) {
      if (is_rebuilt(family, key) || is_orphaned(family, key)) return Result<void>();
      if (decodes(family, key, value)) return writer_.put(family, key, value);
      losses_.add("rows_lost", family_name(family), "a row that does not decode");
      return Result<void>();
    });
  }

  // Brings over the families of the application. Of two with one name, the older one was dropped, and the
  // removal of its row is lost.
  Result<void> bring_application_families() {
    std::map<FamilyId, std::string, std::greater<>> rows;
    const auto read = [&](std::string_view key, std::string_view name) -> Result<void> {
      const auto id = keys::parse_family_row(key);
      if (!id) {
        losses_.add("rows_lost", "catalog: a family of the application", "its key does not decode");
        return {};
      }
      rows.emplace(*id, name);
      family_names_.emplace(name);
      return {};
    };
    if (auto ok = for_each_row(from_, Family::kCatalog, keys::kFamiliesBegin, keys::kFamiliesEnd, read); !ok)
      return ok;
    std::vector<Family> there = from_.application_families();
    Names given;
    for (const auto& [id, name] : rows) {
      if (std::erase(there, application_family(static_cast<std::uint64_t>(id))) == 0)
        losses_.add("rows_lost", name, "no table of this family of the application's is there");
      const bool keeps_it = given.insert(name).second;
      if (auto ok = keeps_it ? bring_application_family(id, name) : bring_nameless_family(id); !ok) return ok;
    }
    for (const Family family : there) {
      if (auto ok = bring_unnamed_family(family); !ok) return ok;
    }
    return {};
  }

  Result<void> bring_application_family(FamilyId id, const std::string& name) {
    const auto number = static_cast<std::uint64_t>(id);
    next_family_id_ = std::max(next_family_id_, number + 1);
    if (auto ok = writer_.put(Family::kCatalog, keys::family_definition(id), name); !ok) return ok;
    if (auto ok = writer_.create_family(application_family(number)); !ok) return ok;
    return bring_rows(application_family(number), kApplicationKeysEnd);
  }

  Result<void> bring_nameless_family(FamilyId id) {
    const auto number = static_cast<std::uint64_t>(id);
    const std::string name = free_name("salvaged-family-" + std::to_string(number), family_names_);
    losses_.add("definition_lost", family_name(application_family(number)),
                "its name is lost; it comes back as '" + name + "'");
    return bring_application_family(id, name);
  }

  // Brings over a family whose row is lost, if it has rows. A family that was being dropped when the process
  // crashed looks the same, and comes back too.
  Result<void> bring_unnamed_family(Family family) {
    const auto rows = from_.scan(family, {}, kApplicationKeysEnd);
    if (auto status = rows->status(); !status) return status;
    if (!rows->valid()) return {};
    return bring_nameless_family(
        FamilyId{static_cast<std::uint64_t>(family) - static_cast<std::uint64_t>(kFirstApplicationFamily)});
  }

  Result<void> bring_catalog(std::uint64_t salt) {
    AllocationRow allocation = facts_.allocation;
    allocation.next_family_id = std::max(allocation.next_family_id, next_family_id_);
    allocation.lease_salt = salt;
    for (const auto& [id, queue] : facts_.queues) {
      allocation.next_queue_id = std::max(allocation.next_queue_id, static_cast<std::uint64_t>(id) + 1);
    }
    const auto note_task = [&](std::string_view key, std::string_view /*task*/) -> Result<void> {
      const auto id = keys::parse_task(key);
      if (id)
        allocation.next_task_id = std::max(allocation.next_task_id, static_cast<std::uint64_t>(*id) + 1);
      return {};
    };
    if (auto ok = for_each_row(from_, Family::kRedriveTasks, {}, kKeysEnd, note_task); !ok) return ok;
    if (auto ok = writer_.put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion)); !ok) {
      return ok;
    }
    return writer_.put(Family::kCatalog, keys::kAllocationRow, encode_allocation_row(allocation));
  }

  const Reader& from_;
  Writer writer_;
  SalvageReport& report_;
  verify::Findings losses_;
  verify::Facts facts_;
  Timestamp latest_{};  // the latest stored time of the checkpoints
  Names queue_names_;   // of the definitions that are there
  Names family_names_;  // of the rows about families that are there
  std::uint64_t next_family_id_ = 1;
};

}  // namespace
}  // namespace salvage

Result<void> rebuild_store(const Reader& from, Store& to, std::uint64_t salt, SalvageReport& report) {
  return salvage::Rebuild(from, to, report).run(salt);
}

}  // namespace holdfast
