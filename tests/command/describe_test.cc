// describe leaves out no option that is set. The options come from the protocol's list, so a new option that
// is not shown fails here.
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/schema.h>
#include <gmock/gmock.h>

#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/options/queue_option_table.h"
#include "engine/base/options/validate_queue_options.h"
#include "holdfast/wire/queue.capnp.h"
#include "schema/convert/queues/queue_conversion.h"
#include "tools/cli/json.h"
#include "tools/cli/views/queue_text.h"

namespace holdfast::command {
namespace {

using capnp::DynamicList;
using capnp::DynamicStruct;
using capnp::StructSchema;
namespace types = capnp::schema;

// Sets one leaf of the options.
struct Leaf {
  std::string name;
  std::function<void(DynamicStruct::Builder)> set;
};

void set_value(DynamicStruct::Builder to, StructSchema::Field field, std::uint64_t number) {
  const capnp::Type type = field.getType();
  switch (type.which()) {
    case types::Type::VOID:
      return to.set(field, capnp::VOID);
    case types::Type::BOOL:
      return to.set(field, true);
    case types::Type::TEXT:
      return to.set(field, "other");
    case types::Type::FLOAT64:
      return to.set(field, 0.5);
    case types::Type::ENUM: {
      const auto values = type.asEnum().getEnumerants();
      return to.set(field, capnp::DynamicEnum(values[static_cast<unsigned>(number % values.size())]));
    }
    default:
      return to.set(field, number);
  }
}

void set_list(DynamicStruct::Builder to, StructSchema::Field field, std::uint64_t number) {
  auto list = to.init(field, 1).as<DynamicList>();
  const capnp::Type element = field.getType().asList().getElementType();
  if (!element.isStruct()) {
    element.isText() ? list.set(0, "other") : list.set(0, number);
    return;
  }
  auto first = list[0].as<DynamicStruct>();
  for (auto member : element.asStruct().getFields()) {
    if (member.getType().isText()) first.set(member, "other");
  }
}

using Path = std::vector<StructSchema::Field>;

DynamicStruct::Builder at(DynamicStruct::Builder from, const Path& path) {
  for (const auto& field : path) from = from.get(field).as<DynamicStruct>();
  return from;
}

void add_leaves(StructSchema schema, const std::string& prefix, const Path& path, std::vector<Leaf>& leaves) {
  for (auto field : schema.getFields()) {
    const std::string name = prefix + std::string(field.getProto().getName().cStr());
    if (field.getType().isStruct()) {
      Path inner = path;
      inner.push_back(field);
      add_leaves(field.getType().asStruct(), name + ".", inner, leaves);
      continue;
    }
    // Several values are tried, since one of them may be the present value, or have no effect in that place.
    for (const std::uint64_t number : {1U, 2U, 60'000'001U, 120'000'000U}) {
      leaves.push_back({name, [=](DynamicStruct::Builder options) {
                          const auto to = at(options, path);
                          field.getType().isList() ? set_list(to, field, number)
                                                   : set_value(to, field, number);
                        }});
    }
  }
}

Result<QueueOptions> changed(const QueueOptions& base, const Leaf& leaf) {
  capnp::MallocMessageBuilder message;
  auto options = message.initRoot<wire::QueueOptions>();
  convert::write(base, options);
  leaf.set(options);
  return convert::read(options.asReader());
}

std::string text_of(const QueueOptions& options) {
  QueueInfo info;
  info.name = "q";
  info.options = options;
  std::ostringstream out;
  print_queue(out, info, no_screen(ColorChoice::kNever), Timestamp{});
  return out.str();
}

Json json_of(const QueueOptions& options) {
  QueueInfo info;
  info.options = options;
  return to_json(info);
}

// Returns options to start from, beside the defaults, since some options may only be set beside others.
std::vector<QueueOptions> bases() {
  using namespace std::chrono_literals;
  return {{},
          {.dead_letters = {.queue = "dlq"}},
          {.retry = {.policy = {.kind = RetryKind::kFixed, .base = 1s}}},
          {.retry = {.policy = {.kind = RetryKind::kExponential, .base = 1us, .cap = 2min}}},
          {.retry = {.policy = {.kind = RetryKind::kStages, .stages = {1s}}}},
          {.dead_letters = {.sources = {.allow = DeadLetterSources::Allow::kListed, .queues = {"a"}}}},
          {.dead_letters = {.routes = {{"timeout", "late"}}}},
          {.dead_letters = {.queue = "dlq"}, .limits = {.max_length = 5}},
          {.journal = {.max_entries = 1000}},
          {.alerts = {.arrivals = {}}},
          {.alerts = {.depth = {.above = 100'000'000},
                      .depth_high = {.above = 100'000'000},
                      .depth_critical = {.above = 100'000'000},
                      .arrivals = {.above = 100'000'000}}},
          {.alerts = {.depth = {.above = 9, .clear_at = 5},
                      .depth_high = {.above = 9, .clear_at = 5},
                      .depth_critical = {.above = 9, .clear_at = 5},
                      .arrivals = {.above = 9, .clear_at = 5},
                      .oldest = {.above = 1h, .clear_at = 1min},
                      .unassigned = {.above = 1h, .clear_at = 1min}}}};
}

TEST(Describe, ShowsEachOptionThatIsSet) {
  std::vector<Leaf> leaves;
  add_leaves(capnp::Schema::from<wire::QueueOptions>(), "", {}, leaves);
  std::map<std::string, int> tried;
  for (const QueueOptions& base : bases()) {
    std::map<std::string, std::vector<QueueOptions>> all;  // what a leaf makes of the base
    for (const Leaf& leaf : leaves) {
      const auto options = changed(base, leaf);
      if (!options || *options == base || !validate(*options)) continue;
      ++tried[leaf.name];
      auto& others = all.try_emplace(leaf.name, std::vector{base}).first->second;
      for (const QueueOptions& other : others) {
        if (*options == other) continue;
        EXPECT_NE(text_of(*options), text_of(other)) << leaf.name << ": in the text of " << text_of(other);
        EXPECT_NE(json_of(*options), json_of(other)) << leaf.name << ": in JSON";
      }
      others.push_back(*options);
    }
  }
  for (const Leaf& leaf : leaves) {
    // Alone it contradicts the waits beside it. The bases have each kind.
    if (leaf.name == "retry.kind") continue;
    EXPECT_TRUE(tried.contains(leaf.name)) << leaf.name << " was never set";
  }
  for (const QueueOptions& base : bases()) {
    EXPECT_EQ(text_of(base) == text_of({}), base == QueueOptions{});
  }
}

// Converts to a value of any type. count_members() only asks whether it would.
struct Anything {
  template <class T>
  operator T() const {  // NOLINT(*-explicit-*): the point of it
    return T{};
  }
};

template <class T, class... Members>
consteval std::size_t count_members() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return count_members<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

template <class... Types>
consteval std::size_t count_members_beyond_one() {
  return (count_members<Types>() + ...) - sizeof...(Types);
}

// Returns how many options QueueOptions or QueueChanges have. A group that is not named here counts as one.
template <class Options>
consteval std::size_t count_options() {
  return count_members<Options>() +
         count_members_beyond_one<decltype(Options::retry), decltype(Options::dead_letters),
                                  decltype(Options::expiry), decltype(Options::limits),
                                  decltype(Options::grouping), decltype(Options::deduplication),
                                  decltype(Options::priority), decltype(Options::retention)>();
}

// An option without a row would be stored, sent and shown nowhere.
TEST(OptionTable, HasEachOptionOnce) {
  const QueueOptions options;
  std::set<std::string_view> names;
  std::set<const void*> places;
  for_each_option([&](const auto& option) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(places.insert(&option.place(options)).second) << option.name << " is where another option is";
  });
  EXPECT_EQ(names.size(), count_options<QueueOptions>());
}

// A field without a row would be a promise to clients that nobody keeps.
TEST(OptionTable, HasEachOptionOfTheProtocol) {
  EXPECT_EQ(count_options<QueueOptions>(), capnp::Schema::from<wire::QueueOptions>().getFields().size());
  constexpr std::size_t kOthers = 3;  // the queue's name, the versions that it may have, and createMissing
  EXPECT_EQ(count_options<QueueChanges>() + kOthers,
            capnp::Schema::from<wire::AlterQueueRequest>().getFields().size());
}

}  // namespace
}  // namespace holdfast::command
