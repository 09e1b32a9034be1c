// `holdfast simulate` plays a queue in virtual time against a described consumer, without a server, and
// compares limits of deliveries by what would die under a retry policy.
#include "tools/cli/rehearsal/rehearsal.h"

#include <fmt/format.h>

#include "engine/base/options/queue_option_table.h"
#include "holdfast/time.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/retry.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/verbs.h"

namespace holdfast::command {
namespace {

using rehearsal::Blip;
using rehearsal::Spread;
using rehearsal::Verdict;
using rehearsal::Workload;

struct SimulateArguments {
  Workload workload;
  QueueOptions options;
  std::optional<RetryPolicy> retry;  // none: retries are immediate
  std::vector<std::uint32_t> max_deliveries{1, 3, 5, 10, 100};
};

Json spread_json(const Spread& spread) {
  const auto ms = [](Duration duration) { return static_cast<double>(duration.count()) / 1000; };
  return {{"p50_ms", ms(spread.median)}, {"p99_ms", ms(spread.p99)}, {"max_ms", ms(spread.max)}};
}

Json verdict_json(std::uint32_t max_deliveries, const RetryPolicy& retry, const Verdict& verdict) {
  return {{"max_deliveries", max_deliveries},
          {"retry", format_retry(retry)},
          {"sent", verdict.sent},
          {"poison", verdict.poison},
          {"acked", verdict.acked},
          {"healthy_quarantined", verdict.healthy_quarantined},
          {"poison_quarantined", verdict.poison_quarantined},
          {"unfinished", verdict.unfinished},
          {"deliveries", verdict.deliveries},
          {"wasted_on_poison", verdict.wasted_on_poison},
          {"wasted_on_healthy", verdict.wasted_on_healthy},
          {"most_wasted_on_one", verdict.most_wasted_on_one},
          {"time_to_ack", spread_json(verdict.time_to_ack)},
          {"time_to_quarantine", spread_json(verdict.time_to_quarantine)}};
}

std::vector<Cell> to_row(std::uint32_t max_deliveries, const Verdict& verdict) {
  return {std::to_string(max_deliveries),
          std::to_string(verdict.acked),
          std::to_string(verdict.healthy_quarantined),
          fmt::format("{}/{}", verdict.poison_quarantined, verdict.poison),
          std::to_string(verdict.unfinished),
          std::to_string(verdict.wasted_on_poison),
          std::to_string(verdict.wasted_on_healthy),
          format_rounded(verdict.time_to_ack.median),
          format_rounded(verdict.time_to_ack.p99),
          format_rounded(verdict.time_to_ack.max),
          format_rounded(verdict.time_to_quarantine.max)};
}

Result<void> simulate(CommandSession& session, const SimulateArguments& arguments) {
  Table table({{"MAX", true},
               {"ACKED", true},
               {"HEALTHY LOST TO DLQ", true},
               {"POISON CAUGHT", true},
               {"UNFINISHED", true, 6},
               {"WASTED ON POISON", true, 1},
               {"ON HEALTHY", true, 3},
               {"ACK P50", true, 5},
               {"P99", true, 4},
               {"MAX", true, 2},
               {"CAUGHT AFTER", true}});
  for (const std::uint32_t max_deliveries : arguments.max_deliveries) {
    QueueOptions options = arguments.options;
    options.retry.max_deliveries = max_deliveries;
    if (arguments.retry) options.retry.policy = *arguments.retry;
    auto verdict = rehearsal::rehearse(options, arguments.workload);
    if (!verdict) return tl::unexpected(verdict.error());
    if (session.json()) {
      session.print(verdict_json(max_deliveries, options.retry.policy, *verdict));
    } else {
      table.add(to_row(max_deliveries, *verdict));
    }
  }
  if (session.json()) return {};
  session.print(table);
  session.note(
      "MAX: max deliveries. WASTED: deliveries of no use. CAUGHT AFTER: the longest from send to dead letter "
      "queue, of poison.");
  return {};
}

Blip parse_blip(const std::string& text) {
  const auto at_sign = text.find('@');
  if (at_sign == std::string::npos)
    throw CLI::ValidationError("--blip", "'" + text + "' is not LENGTH@START, such as 200ms@10s");
  const auto length = parse_duration(text.substr(0, at_sign));
  const auto at = parse_duration(text.substr(at_sign + 1));
  if (!length) throw CLI::ValidationError("--blip", length.error().message);
  if (!at) throw CLI::ValidationError("--blip", at.error().message);
  return {*at, *length};
}

void add_workload(CLI::App& verb, Workload& workload) {
  verb.add_option("--rate", workload.rate, "Messages sent a second [1000]");
  add_duration(verb, "--for", workload.length, "How long they are sent [1m]");
  verb.add_option("--poison", workload.poison_share, "Share of messages that always fail, 0 to 1 [0.001]");
  verb.add_option("--failures", workload.failure_share,
                  "Share of healthy messages' deliveries that fail by chance, 0 to 1 [0]");
  verb.add_option_function<std::vector<std::string>>(
          "--blip",
          [&workload](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) workload.blips.push_back(parse_blip(text));
          },
          "All deliveries fail for LENGTH, from START on, which is before --for is over; may be repeated")
      ->type_name("LENGTH@START")
      ->allow_extra_args(false);
  verb.add_option("--consumers", workload.consumers, "Consumers, one message each at a time [16]")
      ->check(check_number);
  add_duration(verb, "--service-time", workload.service_time, "How long a consumer works on a message [1ms]");
  verb.add_flag_callback(
      "--crash", [&workload] { workload.failure = rehearsal::Failure::kCrash; },
      "Failing consumers crash, so the lease must run out; else they release at once");
  verb.add_option("--seed", workload.seed, "The seed of random choices [1]")->check(check_number);
}

}  // namespace

void add_simulate(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<SimulateArguments>();
  CLI::App& verb = add_verb(
      root, session, "simulate",
      "Try a retry policy before it is used: play a queue in virtual time against a described consumer",
      {"holdfast simulate --blip 200ms@10s", "holdfast simulate --blip 5s@10s --max-deliveries 3,5,10",
       "holdfast simulate --blip 5s@10s --retry exponential:100ms:10s --max-deliveries 3,5,10",
       "holdfast simulate --poison 0.01 --crash --lease 30s --json"});
  add_workload(verb, arguments->workload);
  verb.add_option("--max-deliveries", arguments->max_deliveries,
                  "Values to compare, a row each [1,3,5,10,100]")
      ->check(check_number)
      ->delimiter(',')
      ->allow_extra_args(false);
  add_duration(verb, "--lease", arguments->options.lease, "The lease of a delivery [30s]");
  const auto& retry = std::get<QueueOption<RetryPolicy>>(option_table::kRows);
  add_retry(verb, retry.flag(), arguments->retry, std::string(retry.help));
  add_duration(verb, "--retry-budget", arguments->options.retry.budget,
               "Dead-letter what fails longer than this after its first failure [0: only by count]");
  on_run(verb, session, [arguments](CommandSession& s) { return simulate(s, *arguments); });
}

}  // namespace holdfast::command
