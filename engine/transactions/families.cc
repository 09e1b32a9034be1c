// These calls work on the application's own families. A family exists for later openings of the directory
// once its row in the catalog is committed. What a crash leaves beside these rows is dropped when the
// directory is opened (recovery.cc).
#include <algorithm>

#include "engine/base/validation/validate.h"
#include "engine/engine/engine_impl.h"
#include "engine/storage/application_keys.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

tl::unexpected<Error> no_family(std::string_view name) {
  return fail(ErrorCode::kFamilyNotFound, "no family named '" + std::string(name.substr(0, 128)) + "'");
}

}  // namespace

Result<ApplicationFamily> Engine::open_family(std::string_view name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_family_name(name); !ok) return tl::unexpected(ok.error());
  const sync::Lock catalog_lock(impl_->catalog_mutex);
  if (const auto found = impl_->families.find(name)) return *found;
  if (impl_->families.all().size() >= limits::kApplicationFamilies) {
    return fail(ErrorCode::kLimitExceeded, "there are " + std::to_string(limits::kApplicationFamilies) +
                                               " families, which is the limit");
  }
  const ApplicationFamily family{FamilyId{impl_->allocation.next_family_id++}, std::string(name)};
  if (auto ok = impl_->store->create_family(store_family(family.id)); !ok) return tl::unexpected(ok.error());
  GroupNumber group{};
  {
    const Gate::Pass pass(impl_->pipeline.gate());
    impl_->pipeline.join_row(Family::kCatalog, std::string(keys::kAllocationRow),
                             encode_allocation_row(impl_->allocation), Durability::kFsync);
    group = impl_->pipeline.join_row(Family::kCatalog, keys::family_definition(family.id), family.name,
                                     Durability::kFsync);
  }
  if (auto ok = impl_->pipeline.wait(group); !ok) return tl::unexpected(ok.error());
  impl_->families.add(family);
  return family;
}

Result<std::vector<ApplicationFamily>> Engine::list_families() {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  return impl_->families.all();
}

Result<void> Engine::drop_family(std::string_view name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  const sync::Lock catalog_lock(impl_->catalog_mutex);
  const auto family = impl_->families.find(name);
  if (!family) return no_family(name);
  GroupNumber group{};
  {
    const Gate::Pass pass(impl_->pipeline.gate());
    const sync::Lock writes(impl_->families.write_mutex);
    group = impl_->pipeline.join_row(Family::kCatalog, keys::family_definition(family->id), std::nullopt,
                                     Durability::kFsync);
    impl_->families.drop(family->id, group);
  }
  // When this group is committed, every group with rows of the family is committed too.
  if (auto ok = impl_->pipeline.wait(group); !ok) return ok;
  impl_->families.remove(*family);
  return impl_->store->drop_family(store_family(family->id));
}

Result<std::optional<std::string>> Engine::get(const ApplicationFamily& family, std::string_view key) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (!impl_->families.contains(family.id)) return no_family(family.name);
  if (key.size() > limits::kApplicationKeyBytes) return std::nullopt;
  return impl_->store->get(store_family(family.id), key);
}

Result<std::vector<FamilyRow>> Engine::scan(const ApplicationFamily& family, std::string_view begin,
                                            std::string_view end, std::size_t max) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (!impl_->families.contains(family.id)) return no_family(family.name);
  if (max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (max > limits::kScanRows) {
    return fail(ErrorCode::kLimitExceeded,
                "max is " + std::to_string(max) + ", the limit is " + std::to_string(limits::kScanRows));
  }
  std::vector<FamilyRow> rows;
  const std::string_view last = kApplicationKeysEnd;
  const auto scan =
      impl_->store->scan(store_family(family.id), begin, end.empty() ? last : std::min(end, last));
  for (; scan->valid() && rows.size() < max; scan->next()) {
    rows.push_back({std::string(scan->key()), std::string(scan->value())});
  }
  if (auto status = scan->status(); !status) return tl::unexpected(status.error());
  return rows;
}

}  // namespace holdfast
