// Reads and shows options of each kind.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "server/config/options.h"
#include "server/config/values.h"

namespace holdfast::server::access {

struct Access {
  std::function<Result<void>(Config&, const Values&)> set;
  std::function<Values(const Config&)> get;
};

// `Field` is a function from a Config to a reference to the option's member.
template <class Field>
auto& in(Field field, const Config& config) {
  return std::as_const(field(const_cast<Config&>(config)));  // NOLINT(*-const-cast): nothing is changed
}

template <class Field>
Access number(Field field, std::uint64_t min, std::uint64_t max) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            const auto parsed = parse_number(values.front(), min, max);
            if (!parsed) return tl::unexpected(parsed.error());
            field(config) = static_cast<std::remove_cvref_t<decltype(field(config))>>(*parsed);
            return {};
          },
          .get = [=](const Config& config) { return Values{std::to_string(in(field, config))}; }};
}

// A time, given as a number of `Unit`s.
template <class Unit, class Field>
Access time(Field field, std::uint64_t min, std::uint64_t max) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            const auto parsed = parse_number(values.front(), min, max);
            if (!parsed) return tl::unexpected(parsed.error());
            field(config) = Unit(*parsed);
            return {};
          },
          .get =
              [=](const Config& config) {
                return Values{std::to_string(std::chrono::duration_cast<Unit>(in(field, config)).count())};
              }};
}

template <class Field>
Access seconds(Field field, std::uint64_t min, std::uint64_t max) {
  return time<std::chrono::seconds>(field, min, max);
}

template <class Field>
Access millis(Field field, std::uint64_t min, std::uint64_t max) {
  return time<std::chrono::milliseconds>(field, min, max);
}

// A size in bytes, given as a number or with a unit: 256MiB.
template <class Field>
Access size(Field field, std::uint64_t min) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            const auto parsed = parse_size(values.front(), min);
            if (!parsed) return tl::unexpected(parsed.error());
            field(config) = *parsed;
            return {};
          },
          .get = [=](const Config& config) { return Values{size_text(in(field, config))}; }};
}

template <class Field>
Access toggle(Field field) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            const std::string& text = values.front();
            if (text != "true" && text != "false") return wrong_value(text, "is neither true nor false");
            field(config) = text == "true";
            return {};
          },
          .get = [=](const Config& config) { return Values{in(field, config) ? "true" : "false"}; }};
}

// A text for which `check(text)` returns no error. It is empty until it is set.
template <class Field, class Check>
Access text(Field field, Check check) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            if (auto ok = check(values.front()); !ok) return ok;
            field(config) = values.front();
            return {};
          },
          .get =
              [=](const Config& config) {
                const std::string& said = in(field, config);
                return said.empty() ? Values{} : Values{said};
              }};
}

template <class Field>
Access path(Field field) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            if (values.front().empty()) return wrong_value("", "is empty");
            field(config) = values.front();
            return {};
          },
          .get =
              [=](const Config& config) {
                const auto& text = in(field, config).string();
                return text.empty() ? Values{} : Values{text};
              }};
}

// A list of texts. `check(text)` returns a Result that says whether the text may be in it.
template <class Field, class Check>
Access list(Field field, Check check) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            if (values.empty()) return fail(ErrorCode::kInvalidArgument, "the list is empty");
            for (const std::string& text : values) {
              if (auto ok = check(text); !ok) return tl::unexpected(ok.error());
            }
            field(config) = values;
            return {};
          },
          .get = [=](const Config& config) { return in(field, config); }};
}

template <class Field, class Value>
Access choice(Field field, std::vector<std::pair<std::string, Value>> names) {
  return {.set = [=](Config& config, const Values& values) -> Result<void> {
            std::string all;
            for (const auto& [name, value] : names) {
              if (name == values.front()) {
                field(config) = value;
                return {};
              }
              all += (all.empty() ? "" : ", ") + name;
            }
            return wrong_value(values.front(), "is not one of " + all);
          },
          .get =
              [=](const Config& config) {
                for (const auto& [name, value] : names) {
                  if (value == in(field, config)) return Values{name};
                }
                return Values{};
              }};
}

}  // namespace holdfast::server::access
