#include "engine/codec/encoding/json_builder.h"

namespace holdfast {
namespace {

// An object with fewer members is searched faster than an index of it.
constexpr std::size_t kIndexedMembers = 32;

}  // namespace

bool JsonBuilder::start_object(std::size_t /*size*/) {
  Json& value = place();
  value = Json::object();
  const std::size_t members = shape_.members[objects_++];
  value.get_ref<Json::object_t&>().reserve(members);
  open_.push_back({.value = &value, .is_indexed = members >= kIndexedMembers});
  return true;
}

bool JsonBuilder::start_array(std::size_t /*size*/) {
  Json& value = place();
  value = Json::array();
  open_.push_back({.value = &value});
  return true;
}

bool JsonBuilder::add_member(std::string& name) {
  Open& last = open_.back();
  auto& members = last.value->get_ref<Json::object_t&>();
  if (!last.is_indexed) {
    const std::size_t before = members.size();
    member_ = &members[name];
    return members.size() > before;
  }
  if (const auto found = last.index.find(name); found != last.index.end()) {
    member_ = found->second;
    return false;
  }
  auto& member = members.emplace_back(std::move(name), Json());
  member_ = &member.second;
  last.index.emplace(member.first, member_);
  return true;
}

// Returns the place of the value that comes next.
Json& JsonBuilder::place() {
  if (open_.empty()) return root_;
  Json& parent = *open_.back().value;
  return parent.is_array() ? parent.emplace_back() : *member_;
}

bool JsonBuilder::close() {
  open_.pop_back();
  return true;
}

}  // namespace holdfast
