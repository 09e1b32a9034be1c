// These targets fuzz what the `holdfast` command reads: a filter program's answers, and durations, times and
// retry policies.
#include <algorithm>
#include <iterator>

#include "holdfast/limits.h"
#include "tests/fuzz/target.h"
#include "tools/cli/filter_program/filter_answer.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/retry.h"

namespace holdfast::fuzz {

bool run_filter_answer(std::string_view input) {
  const auto answer = command::parse_filter_answer(input);
  if (!answer) return false;
  require(answer->action == command::FilterAnswer::Action::kRedrive || answer->edit == RedriveEdit{},
          "what is not redriven is edited");
  return true;
}

std::vector<std::string> filter_answer_seeds() {
  return {R"({"action":"skip"})", R"({"action":"discard"})",
          R"({"action":"redrive","body":"new","set_attributes":{"a":"b"},"drop_attributes":["c","d"]})",
          R"({"action":"redrive","body_base64":"AP8="})"};
}

bool run_command_texts(std::string_view input) {
  const auto time = command::parse_time(input);
  // A 31st of December whose 60th second is in the year 10,000 has no text of its own.
  require(!time || *time > limits::kImportedTimeMax || command::parse_time(format_time(*time)) == *time,
          "a time does not come back");
  const bool decoded[] = {time.has_value(), must_come_back(input, parse_duration, format_duration),
                          must_come_back(input, command::parse_retry, command::format_retry)};
  return std::ranges::find(decoded, true) != std::end(decoded);
}

std::vector<std::string> command_text_seeds() {
  return {"0",
          "1d2h3m4s5ms6us",
          "2026-03-01T09:30:00.123456Z",
          "2026-03-01T09:30:00Z",
          "immediate",
          "fixed:5s:to=tail",
          "exponential:1s:10m:jitter=0.2",
          "stages:1s:10s:5m:jitter=1e-05:to=tail"};
}

}  // namespace holdfast::fuzz
