// Debian packages, as `apt-cache dumpavail` prints them, and the rules that workers hold them to.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>

#include "tools/examples/demo/demo.h"

namespace holdfast::demo {
namespace {

constexpr std::size_t kSynopsisMax = 80;
constexpr std::ptrdiff_t kRelationsRoom = 64;

// Returns the first line of a field's value. It is empty if there is no such field.
std::string_view field(std::string_view package, std::string_view name) {
  const std::string label = fmt::format("{}: ", name);
  while (!package.starts_with(label)) {
    const auto line_end = package.find('\n');
    if (line_end == std::string_view::npos) return {};
    package.remove_prefix(line_end + 1);
  }
  package.remove_prefix(label.size());
  return package.substr(0, package.find('\n'));
}

}  // namespace

Packages read_packages(const std::filesystem::path& index) {
  std::ifstream in(index, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("cannot read the index '{}'", index.string()));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  Packages packages;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    packages.push_back(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return packages;
}

std::string key_of(const Packages& packages, std::size_t number) {
  const std::string& package = packages.at(number);
  return fmt::format("{}/{}_{}_{}", number, field(package, "Package"), field(package, "Version"),
                     field(package, "Architecture"));
}

std::optional<Rejection> check(std::string_view package, bool relaxed) {
  const auto because = [](const char* category, std::string reason, const char* code) {
    return Rejection{.category = category, .reason = std::move(reason), .code = code};
  };
  for (const char* name : {"Depends", "Pre-Depends"}) {
    if (std::ranges::count(field(package, name), ',') >= kRelationsRoom)
      throw ParserOverflow(fmt::format("{} has more than {} relations", name, kRelationsRoom));
  }
  static const std::regex name_and_address("[^<@]+ <[^<@]+@[^<@]+>");
  const auto maintainer = field(package, "Maintainer");
  if (!std::regex_match(maintainer.begin(), maintainer.end(), name_and_address))
    return because("maintainer", "not one name and address", "maintainer-syntax");
  const auto synopsis = field(package, "Description");
  if (synopsis.empty()) return because("description", "no synopsis", "synopsis-missing");
  if (synopsis.size() > kSynopsisMax)
    return because("description", fmt::format("synopsis is longer than {} bytes", kSynopsisMax),
                   "synopsis-length");
  if (field(package, "Installed-Size").empty()) return because("size", "no installed size", "size-missing");
  const auto homepage = field(package, "Homepage");
  if (homepage.empty()) return because(kHomepageCategory, "no homepage", "homepage-missing");
  const auto scheme = homepage.substr(0, homepage.find(':'));
  if (scheme == "https" || (relaxed && scheme == "http")) return std::nullopt;
  return because(kHomepageCategory, fmt::format("homepage uses {}, not https", scheme), "homepage-scheme");
}

}  // namespace holdfast::demo
