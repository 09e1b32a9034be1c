#include "server/archive/archive_place.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace holdfast::server {
namespace {

tl::unexpected<Error> wrong_place(const std::string& what) { return fail(ErrorCode::kInvalidArgument, what); }

// Returns whether the name follows the rules of S3, except those about names that look like addresses.
bool is_bucket(std::string_view name) {
  constexpr std::size_t kLeast = 3;
  constexpr std::size_t kMost = 63;
  const auto may_begin = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto may_be = [&](char c) { return may_begin(c) || c == '-' || c == '.'; };
  return name.size() >= kLeast && name.size() <= kMost && may_begin(name.front()) && may_begin(name.back()) &&
         std::ranges::all_of(name, may_be);
}

Result<ArchivePlace> directory_of(std::string_view path) {
  if (path.empty()) return wrong_place("directory: the path is missing");
  return DirectoryPlace{path};
}

Result<ArchivePlace> command_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  CommandPlace place;
  for (std::string word; in >> word;) place.words.push_back(word);
  if (place.words.empty()) return wrong_place("command: the program is missing");
  return place;
}

Result<ArchivePlace> shell_of(std::string_view text) {
  if (text.find_first_not_of(" \t") == std::string_view::npos)
    return wrong_place("shell: the command is missing");
  return CommandPlace{{"/bin/sh", "-c", std::string(text)}};
}

Result<ArchivePlace> s3_of(std::string_view text) {
  auto url = http::parse_url(text);
  if (!url) return wrong_place("s3: " + url.error().message);
  if (url->target.find('?') != std::string::npos) return wrong_place("s3: the address has a query");
  std::string_view path = url->target;
  path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  S3Place place{.url = {}, .bucket = std::string(path.substr(0, end)), .prefix = {}};
  if (place.bucket.empty()) return wrong_place("s3: the bucket is missing: s3:https://host/bucket/prefix");
  if (!is_bucket(place.bucket)) return wrong_place("s3: '" + place.bucket + "' is not the name of a bucket");
  place.prefix = path.substr(std::min(end + 1, path.size()));
  if (place.prefix.find("//") != std::string::npos || place.prefix.starts_with('/'))
    return wrong_place("s3: the prefix has an empty part");
  place.url = *std::move(url);
  return place;
}

}  // namespace

Result<ArchivePlace> parse_archive_place(std::string_view text) {
  using Parse = Result<ArchivePlace> (*)(std::string_view);
  constexpr std::pair<std::string_view, Parse> kKinds[] = {
      {"directory:", directory_of}, {"command:", command_of}, {"shell:", shell_of}, {"s3:", s3_of}};
  for (const auto& [kind, parse] : kKinds) {
    if (text.starts_with(kind)) return parse(text.substr(kind.size()));
  }
  return wrong_place(
      "'" + std::string(text) +
      "' is not a place for an archive, which is directory:/path, command:PROGRAM, shell:COMMAND or "
      "s3:https://host/bucket");
}

}  // namespace holdfast::server
