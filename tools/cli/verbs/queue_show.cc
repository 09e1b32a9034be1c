// `holdfast queue list` shows the queues in a table, all or those with certain tags, and `describe` shows all
// about the queues that are named. A queue that cannot be described does not keep the others from being
// shown.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "tools/cli/json.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/verbs/queue_verbs.h"
#include "tools/cli/views/queue_text.h"

namespace holdfast::command {
namespace {

struct ListQueuesArguments {
  std::vector<std::pair<std::string, std::optional<std::string>>> tags;  // tags, with the typed values
};

bool has_tags(const QueueInfo& info, const ListQueuesArguments& arguments) {
  return std::ranges::all_of(arguments.tags, [&](const auto& wanted) {
    const auto tag = info.options.tags.find(wanted.first);
    return tag != info.options.tags.end() && (!wanted.second || tag->second == *wanted.second);
  });
}

Result<void> list(CommandSession& session, const ListQueuesArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto queues = (*broker)->list_queues();
  if (!queues) return tl::unexpected(queues.error());
  const bool any = !queues->empty();
  std::erase_if(*queues, [&](const QueueInfo& info) { return !has_tags(info, arguments); });
  if (session.json()) {
    for (const QueueInfo& info : *queues) session.print(to_json(info));
    return {};
  }
  if (queues->empty()) {
    session.note(any ? "no queue has these tags" : "no queues");
    return {};
  }
  Table table({{"QUEUE"},
               {"READY", true},
               {"WAITING", true, 2},
               {"LEASED", true, 3},
               {"DEAD", true},
               {"MAX DELIVERIES", true, 5},
               {"DEAD LETTERS TO", false, 4},
               {"NOTE", false, 1}});
  for (const QueueInfo& info : *queues) {
    const QueueCounts& counts = info.counts;
    table.add({info.name, std::to_string(counts.ready), std::to_string(counts.waiting),
               std::to_string(counts.leased), std::to_string(counts.dead),
               std::to_string(info.options.retry.max_deliveries), info.options.dead_letters.queue,
               note_on(info, session.now())});
  }
  session.print(table);
  return {};
}

Result<void> describe(CommandSession& session, const std::vector<std::string>& queues) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  for (const std::string& queue : queues) {
    auto info = (*broker)->describe_queue(queue);
    if (!info) {
      session.report(info.error(), {{"queue", queue}});
    } else if (session.json()) {
      session.print(to_json(*info));
    } else {
      print_queue(session.out(), *info, session.screen(), session.now());
    }
  }
  return {};
}

}  // namespace

void add_queue_list(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<ListQueuesArguments>();
  CLI::App& verb = add_verb(group, session, "list", "List the queues with their counts, alerts and pauses",
                            {"holdfast queue list", "holdfast queue list --tag team=billing",
                             "holdfast queue list --json | jq .counts.ready"});
  verb.add_option_function<std::vector<std::string>>(
          "--tag",
          [arguments](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto equals = text.find('=');
              if (equals == 0 || text.empty())
                throw CLI::ValidationError("--tag", "'" + text + "' is not NAME or NAME=VALUE");
              auto& [name, value] = arguments->tags.emplace_back(text.substr(0, equals), std::nullopt);
              if (equals != std::string::npos) value = text.substr(equals + 1);
            }
          },
          "Only queues with this tag, with any value or with this one; if repeated, with all of the tags")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  on_run(verb, session, [arguments](CommandSession& s) { return list(s, *arguments); });
}

void add_queue_describe(CLI::App& group, CommandSession& session) {
  auto queues = std::make_shared<std::vector<std::string>>();
  CLI::App& verb = add_verb(group, session, "describe", "Show a queue's options, counts and totals",
                            {"holdfast queue describe orders orders-dlq"});
  verb.add_option("queue", *queues, "The queues")->required();
  on_run(verb, session, [queues](CommandSession& s) { return describe(s, *queues); });
}

}  // namespace holdfast::command
