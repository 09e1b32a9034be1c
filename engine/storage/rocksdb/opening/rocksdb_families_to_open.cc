#include "engine/storage/rocksdb/opening/rocksdb_families_to_open.h"

#include <memory>
#include <string>

#include "engine/storage/application_keys.h"
#include "engine/storage/rocksdb/environment/rocksdb_status.h"
#include "engine/storage/store.h"

namespace holdfast {
namespace {

// Returns whether RocksDB's own default family has a row. Holdfast puts none into it.
Result<bool> has_default_rows(const std::filesystem::path& dir, const Home& home, const FamilyPlan& plan,
                              const rocksdb::DBOptions& options) {
  rocksdb::DB* opened = nullptr;
  auto status =
      rocksdb::DB::OpenForReadOnly({options, plan.built_in.front().options}, home.path.string(), &opened);
  const std::unique_ptr<rocksdb::DB> db(opened);
  bool any = false;
  if (status.ok()) {
    const std::unique_ptr<rocksdb::Iterator> rows(db->NewIterator({}));
    rows->SeekToFirst();
    any = rows->Valid();
    status = rows->status();
  }
  if (!status.ok()) return tl::unexpected(open_error(status, dir));
  return any;
}

}  // namespace

FamiliesToOpen families_in(const Home& home, const FamilyPlan& plan, const rocksdb::DBOptions& options) {
  FamiliesToOpen result{.families = plan.built_in, .listed = {}};
  std::vector<std::string> names;
  result.listed = rocksdb::DB::ListColumnFamilies(options, home.path.string(), &names);
  for (const std::string& name : names) {
    if (parse_application_family(name)) result.families.emplace_back(name, plan.application);
    if (name == family_name(Family::kCatalog)) result.has_catalog = true;
  }
  return result;
}

Result<void> check_ours(const std::filesystem::path& dir, const Home& home, const FamiliesToOpen& there,
                        const FamilyPlan& plan, const rocksdb::DBOptions& options, bool has_mark) {
  if (!there.listed.ok() || there.has_catalog) return {};
  if (!options.create_if_missing) {
    // A mark without families in the manifest means that the store has lost them: opening reports what is
    // missing.
    return has_mark ? Result<void>() : no_store_in(dir);
  }
  const auto others = has_default_rows(dir, home, plan, options);
  if (!others) return tl::unexpected(others.error());
  if (!*others) return {};
  return fail(ErrorCode::kInvalidArgument,
              "data directory '" + dir.string() + "' holds the RocksDB database of another program");
}

}  // namespace holdfast
