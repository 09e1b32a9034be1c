#include "server/http/exchange/conditions.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace holdfast::server {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view kAny = "*";
constexpr char kSeparator = '.';  // between a version and the rest of a tag

std::string all_of(const HttpRequest& request, http::field name) {
  std::string list;
  const auto [begin, end] = request.equal_range(name);
  for (auto field = begin; field != end; ++field)
    list += (list.empty() ? "" : ", ") + std::string(view(field->value()));
  return list;
}

struct Tag {
  std::string text;  // the tag without its quotes
  bool weak = false;
};

// Returns the tags of a list. Text outside quotes is skipped: it names nothing.
std::vector<Tag> tags_in(std::string_view list) {
  std::vector<Tag> tags;
  for (;;) {
    const std::size_t open = list.find('"');
    const std::size_t close = open == std::string_view::npos ? open : list.find('"', open + 1);
    if (close == std::string_view::npos) return tags;
    tags.push_back({.text = std::string(list.substr(open + 1, close - open - 1)),
                    .weak = list.substr(0, open).ends_with("W/")});
    list.remove_prefix(close + 1);
  }
}

bool is_change(const HttpRequest& request) { return request.method() != http::verb::get; }

tl::unexpected<Error> failed(std::string_view why) {
  return fail(ErrorCode::kPreconditionFailed, std::string(why));
}

Result<void> read_versions(std::string_view list, capnp::StructSchema::Field field,
                           capnp::DynamicStruct::Builder params) {
  if (params.has(field))
    return fail(ErrorCode::kInvalidArgument,
                "If-Match: is given together with 'ifVersion'; give only one of them");
  std::vector<std::string> versions;
  for (const Tag& tag : tags_in(list)) {
    if (!tag.weak) versions.push_back(tag.text.substr(0, tag.text.find(kSeparator)));
  }
  if (versions.empty()) return failed("If-Match: it has no strong ETag");
  auto to = params.init(field, static_cast<unsigned>(versions.size())).as<capnp::DynamicList>();
  for (unsigned i = 0; i < versions.size(); ++i) to.set(i, capnp::Text::Reader(versions[i].c_str()));
  return {};
}

}  // namespace

std::string entity_tag(std::string_view body, std::string_view version) {
  std::string tag(version);
  if (!tag.empty()) tag += kSeparator;
  return '"' + tag + std::to_string(std::hash<std::string_view>{}(body)) + '"';
}

bool is_known(const HttpRequest& request, std::string_view tag) {
  const std::string list = all_of(request, http::field::if_none_match);
  if (list == kAny) return true;
  return std::ranges::any_of(tags_in(list), [tag](const Tag& one) { return '"' + one.text + '"' == tag; });
}

bool wants_new(const HttpRequest& request) {
  return request.method() == http::verb::put && all_of(request, http::field::if_none_match) == kAny;
}

Result<void> refuse_conditions(const HttpRequest& request) {
  if (!is_change(request)) return {};
  if (!all_of(request, http::field::if_none_match).empty() && !wants_new(request))
    return failed("If-None-Match: a request that creates a queue takes only *");
  if (!all_of(request, http::field::if_match).empty())
    return failed("If-Match: this request changes nothing that has a version");
  return {};
}

Result<void> read_conditions(const HttpRequest& request, capnp::DynamicStruct::Builder params) {
  const bool is_new_only = !all_of(request, http::field::if_none_match).empty();
  const std::string list = all_of(request, http::field::if_match);
  KJ_IF_MAYBE (field, params.getSchema().findFieldByName("ifVersion")) {
    // The call itself checks whether there is something to be changed.
    if (!is_new_only && list == kAny) return {};
    if (!is_new_only && !list.empty()) return read_versions(list, *field, params);
  }
  return refuse_conditions(request);
}

}  // namespace holdfast::server
