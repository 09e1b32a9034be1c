#include "server/logging/json_log.h"

#include <spdlog/details/log_msg.h>
#include <spdlog/fmt/chrono.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "server/logging/log_line.h"

namespace holdfast::server {
namespace {

using Json = nlohmann::ordered_json;

std::string time_text(spdlog::log_clock::time_point time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(spdlog::log_clock::to_time_t(time)),
                     ms % 1000);
}

Json value_of(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool all = error == std::errc{} && end == text.data() + text.size();
  return all && std::to_string(number) == text ? Json(number) : Json(text);
}

}  // namespace

void JsonLog::format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& to) {
  const auto parsed = parse_log_line({line.payload.data(), line.payload.size()});
  const auto level = spdlog::level::to_string_view(line.level);
  Json object{{"time", time_text(line.time)},
              {"level", std::string(level.data(), level.size())},
              {"event", std::string(parsed.event)}};
  for (const auto& [name, value] : parsed.fields) object[std::string(name)] = value_of(value);
  const std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  to.append(text.data(), text.data() + text.size());
}

}  // namespace holdfast::server
