#include "server/config/file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

namespace {

// toml++ 3.3.0 takes for impossible what some texts make it meet ("a = 1979-05-27Tnoon").
struct TomlAssertion {};

[[noreturn]] void fail_assertion() { throw TomlAssertion(); }

}  // namespace

#undef NDEBUG  // with it, toml++ has the compiler rely on its assertions
#define TOML_ASSERT(condition) ((condition) ? void() : fail_assertion())
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace holdfast::server {
namespace {

std::string place(const std::filesystem::path& file, const toml::source_region& region) {
  return file.string() + (region.begin ? ":" + std::to_string(region.begin.line) : std::string());
}

std::optional<Values> texts_of(const toml::array& array) {
  Values values;
  for (const toml::node& entry : array) {
    const auto text = entry.value_exact<std::string>();
    if (!text) return std::nullopt;
    values.push_back(*text);
  }
  return values;
}

// Empty: not of the option's shape.
std::optional<Values> values_of(const toml::node& node, Shape shape) {
  const auto text = node.value_exact<std::string>();
  const auto number = node.value_exact<std::int64_t>();
  const auto boolean = node.value_exact<bool>();
  if (shape == Shape::kSwitch && boolean) return Values{*boolean ? "true" : "false"};
  if ((shape == Shape::kNumber || shape == Shape::kSize) && number) return Values{std::to_string(*number)};
  if ((shape == Shape::kText || shape == Shape::kSize || shape == Shape::kList) && text) return Values{*text};
  if (shape == Shape::kList && node.is_array()) return texts_of(*node.as_array());
  return std::nullopt;
}

std::string_view wanted(Shape shape) {
  switch (shape) {
    case Shape::kSwitch:
      return "true or false";
    case Shape::kNumber:
      return "an integer";
    case Shape::kSize:
      return "an integer, or a string like \"64MiB\"";
    case Shape::kText:
      return "a string";
    case Shape::kList:
      break;
  }
  return "an array of strings";
}

// A directory can be opened, and not read.
Result<std::string> content_of(const std::filesystem::path& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "re"), std::fclose);
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t size = part.size(); in && size > 0; text.append(part.data(), size)) {
    size = std::fread(part.data(), 1, part.size(), in.get());
  }
  if (in && std::ferror(in.get()) == 0) return text;
  return fail(ErrorCode::kInvalidArgument, file.string() + ": " + std::system_category().message(errno));
}

Result<std::vector<Setting>> settings_of(const toml::parse_result& parsed,
                                         const std::filesystem::path& file) {
  if (!parsed) {
    const auto& error = parsed.error();
    return fail(ErrorCode::kInvalidArgument,
                place(file, error.source()) + ": " + std::string(error.description()));
  }
  std::vector<Setting> settings;
  for (const auto& [key, node] : parsed.table()) {
    const std::string name(key.str());
    const Option* option = find_option(name);
    if (option == nullptr) {
      return fail(ErrorCode::kInvalidArgument, place(file, key.source()) + ": unknown key '" + name + "'");
    }
    auto values = values_of(node, option->shape);
    if (!values) {
      return fail(ErrorCode::kInvalidArgument, place(file, node.source()) + ": " + name + ": " +
                                                   std::string(wanted(option->shape)) + " is wanted");
    }
    settings.push_back({option, std::move(*values), place(file, key.source()) + ": " + name});
  }
  return settings;
}

}  // namespace

Result<std::vector<Setting>> read_config_file(const std::filesystem::path& file) {
  const auto text = content_of(file);
  if (!text) return tl::unexpected(text.error());
  return parse_config(*text, file);
}

Result<std::vector<Setting>> parse_config(std::string_view text, const std::filesystem::path& file) {
  try {
    return settings_of(toml::parse(text, file.string()), file);
  } catch (const TomlAssertion&) {
    return fail(ErrorCode::kInvalidArgument, file.string() + ": not TOML: a value is not of any type");
  }
}

}  // namespace holdfast::server
