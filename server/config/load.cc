#include "server/config/load.h"

#include <spdlog/fmt/fmt.h>
#include <unistd.h>

#include <optional>
#include <sstream>

#include "server/config/file.h"
#include "server/logging/console.h"

namespace holdfast::server {
namespace {

constexpr const char* kFileVariable = "HOLDFAST_CONFIG";
constexpr char kDelete = 0x7f;

Values split_at_commas(const std::string& text) {
  Values values;
  std::istringstream rest(text);
  for (std::string value; std::getline(rest, value, ',');) values.push_back(value);
  return values;
}

std::vector<Setting> settings_of(const Environment& environment) {
  std::vector<Setting> settings;
  for (const Option& option : option_table()) {
    const auto variable = environment.find(variable_of(option));
    if (variable == environment.end()) continue;
    const std::string& text = variable->second;
    const Values values = option.shape == Shape::kList ? split_at_commas(text) : Values{text};
    settings.push_back({&option, values, variable->first});
  }
  return settings;
}

// Returns the file that is named; nothing if none is.
Result<std::optional<std::string>> file_of(const CommandLine& line, const Environment& environment) {
  const auto variable = environment.find(kFileVariable);
  std::optional<std::string> file = line.file;
  if (!file && variable != environment.end()) file = variable->second;
  if (file != "") return file;
  return fail(ErrorCode::kInvalidArgument,
              std::string(line.file ? "--config" : kFileVariable) + ": '' is empty");
}

Result<void> take_over(const std::vector<Setting>& settings, Loaded& loaded) {
  for (const auto& [option, values, where] : settings) {
    if (auto ok = option->set(loaded.config, values); !ok) {
      return fail(ok.error().code, where + ": " + ok.error().message);
    }
    loaded.said_at[option->name] = where;
  }
  return {};
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < ' ' || c == kDelete;
    if (c == '"' || c == '\\') result += '\\';
    result += control ? fmt::format("\\u{:04x}", c) : std::string(1, c);
  }
  return result + '"';
}

std::string toml_of(const Option& option, const Values& values) {
  if (option.shape == Shape::kSwitch || option.shape == Shape::kNumber) {
    return values.front();
  }
  if (option.shape != Shape::kList) return quoted(values.front());
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : ", ") + quoted(value);
  return "[" + all + "]";
}

}  // namespace

Environment process_environment() {
  Environment environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<Loaded> load_config(const CommandLine& line, const Environment& environment) {
  Loaded loaded;
  const auto file = file_of(line, environment);
  if (!file) return tl::unexpected(file.error());
  if (*file) {
    const auto settings = read_config_file(**file);
    if (!settings) return tl::unexpected(settings.error());
    if (auto ok = take_over(*settings, loaded); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = take_over(settings_of(environment), loaded); !ok) return tl::unexpected(ok.error());
  if (auto ok = take_over(line.settings, loaded); !ok) return tl::unexpected(ok.error());
  if (loaded.config.data.empty()) {
    return fail(ErrorCode::kInvalidArgument, "data: no directory is set; use --data DIR");
  }
  return loaded;
}

std::string to_text(const Loaded& loaded) {
  std::string text;
  for (const Option& option : option_table()) {
    const Values values = option.get(loaded.config);
    const auto said = loaded.said_at.find(option.name);
    const std::string name(option.name);
    text += values.empty() ? "# " + name + " is not set\n"
            : said == loaded.said_at.end()
                ? name + " = " + toml_of(option, values) + "  # default\n"
                : name + " = " + toml_of(option, values) + "  # " + escaped(said->second) + "\n";
  }
  return text;
}

std::vector<const Option*> changed_options(const Config& before, const Config& after) {
  std::vector<const Option*> changed;
  for (const Option& option : option_table()) {
    if (option.get(before) != option.get(after)) changed.push_back(&option);
  }
  return changed;
}

}  // namespace holdfast::server
