// The target is the server's configuration file.
#include "server/config/file.h"
#include "server/config/load.h"
#include "tests/fuzz/target.h"

namespace holdfast::fuzz {

// Checks that an option shows each value that it takes in a form that it takes again.
bool run_config(std::string_view input) {
  const auto settings = server::parse_config(input, "holdfastd.toml");
  if (!settings) return false;
  for (const auto& [option, values, where] : *settings) {
    server::Config config;
    if (!option->set(config, values)) continue;
    const auto shown = option->get(config);
    if (shown.empty()) continue;
    server::Config again;
    require(option->set(again, shown).has_value(), "an option does not take what it shows");
    require(option->get(again) == shown, "an option shows something else the second time");
  }
  return true;
}

std::vector<std::string> config_seeds() {
  std::string all;
  for (const server::Option& option : server::option_table()) {
    const auto values = option.get({});
    all += std::string(option.name) + " = ";
    switch (option.shape) {
      case server::Shape::kSwitch:
      case server::Shape::kNumber:
        all += values.front();
        break;
      case server::Shape::kList:
        all += "[\"127.0.0.1:7700\", 'unix:/tmp/x']";
        break;
      case server::Shape::kSize:
      case server::Shape::kText:
        all += '"' + (values.empty() ? "127.0.0.1:1" : values.front()) + '"';
    }
    all += "  # as usual\n";
  }
  return {all, "max-calls = 0x1F\n", "data = \"\"\"\n\\u00e4\"\"\"\n"};
}

}  // namespace holdfast::fuzz
