#include "tools/examples/demo/packages/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace holdfast::demo {

std::optional<std::string_view> Package::field(std::string_view name) const {
  for (std::size_t at = 0; at < text_.size();) {
    const std::size_t line_end = std::min(text_.find('\n', at), text_.size());
    const std::string_view line = text_.substr(at, line_end - at);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ':') {
      std::size_t end = line_end;
      while (end + 1 < text_.size() && text_[end + 1] == ' ')
        end = std::min(text_.find('\n', end + 1), text_.size());
      std::string_view value = text_.substr(at, end - at).substr(name.size() + 1);
      value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
      return value;
    }
    at = line_end + 1;
  }
  return std::nullopt;
}

Result<PackageIndex> PackageIndex::read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::kInvalidArgument, fmt::format("cannot read the index '{}'", file.string()));
  PackageIndex index;
  index.text_.assign(std::istreambuf_iterator<char>(in), {});
  const std::string_view text = index.text_;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", at), text.size());
    if (text.substr(at).starts_with("Package:")) index.packages_.emplace_back(at, end - at);
    at = end + 2;
  }
  return index;
}

Package PackageIndex::package(std::size_t number) const {
  const auto [offset, length] = packages_.at(number);
  return Package(std::string_view(text_).substr(offset, length));
}

std::string PackageIndex::key(std::size_t number) const {
  const Package named = package(number);
  return fmt::format("{}/{}_{}_{}", number, named.field("Package").value_or(""),
                     named.field("Version").value_or(""), named.field("Architecture").value_or(""));
}

std::optional<std::size_t> number_of(std::string_view key) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error != std::errc{} || end == key.data() + key.size() || *end != '/') return std::nullopt;
  return number;
}

}  // namespace holdfast::demo
