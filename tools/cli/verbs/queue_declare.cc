// `holdfast queue create` and `alter` make a queue and change its options. Their flags follow from the table
// of options (option_flags.h), and an error about a queue that exists names the options that differ.
#include "engine/base/options/queue_option_table.h"
#include "tools/cli/option_flags.h"
#include "tools/cli/verbs/queue_verbs.h"
#include "tools/cli/views/option_differences.h"

namespace holdfast::command {
namespace {

void print_declared(CommandSession& session, const std::string& queue, const QueueDeclared& declared,
                    const std::string& outcome) {
  if (session.json()) {
    session.print({{"queue", queue}, {"created", declared.created}, {"warnings", declared.warnings}});
    return;
  }
  session.out() << outcome << ' ' << queue << '\n';
  for (const std::string& warning : declared.warnings) session.warn(warning);
}

struct DeclareArguments {
  std::string queue;
  AskedOptions options;
  MissingQueues missing{};
};

// Makes the error for a queue that exists with other options. It names the options that differ.
Result<void> differs(Broker& broker, const std::string& queue, const QueueOptions& asked) {
  std::string text = "queue '" + queue + "' exists with other options";
  if (const auto info = broker.describe_queue(queue)) text += ": " + differences(info->options, asked);
  return fail(ErrorCode::kQueueExists, text);
}

Result<void> create(CommandSession& session, const DeclareArguments& arguments) {
  auto [changes, policies] = arguments.options;
  if (auto ok = apply(policies, {}, changes); !ok) return ok;
  auto broker = session.broker(true);
  if (!broker) return tl::unexpected(broker.error());
  const QueueOptions options = changed({}, changes);
  auto declared = (*broker)->create_queue(arguments.queue, options, arguments.missing);
  if (!declared && declared.error().code == ErrorCode::kQueueExists)
    return differs(**broker, arguments.queue, options);
  if (!declared) return tl::unexpected(declared.error());
  print_declared(session, arguments.queue, *declared, declared->created ? "created" : "exists already:");
  return {};
}

Result<void> alter(CommandSession& session, const DeclareArguments& arguments) {
  auto [changes, policies] = arguments.options;
  if (policies.empty() && changes == QueueChanges{}) {
    return fail(ErrorCode::kInvalidArgument, "nothing to alter: give an option with its new value");
  }
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (!policies.empty()) {
    auto info = (*broker)->describe_queue(arguments.queue);
    if (!info) return tl::unexpected(info.error());
    if (auto ok = apply(policies, info->options, changes); !ok) return ok;
  }
  auto declared = (*broker)->alter_queue(arguments.queue, changes, arguments.missing);
  if (!declared) return tl::unexpected(declared.error());
  print_declared(session, arguments.queue, *declared, "altered");
  return {};
}

void add_create_missing(CLI::App& verb, MissingQueues& missing) {
  verb.add_flag_callback(
      "--create-missing", [&missing] { missing = MissingQueues::kCreate; },
      "Create dead letter and parking queues that do not exist, with default options");
}

}  // namespace

void add_queue_create(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<DeclareArguments>();
  CLI::App& verb = add_verb(group, session, "create", "Create a queue",
                            {"holdfast queue create orders",
                             "holdfast queue create orders --dead-letter-queue orders-dlq --create-missing",
                             "holdfast queue create payments --ordered --dedup id",
                             "holdfast queue create jobs --priorities 8 --priority-aging 10m"});
  verb.add_option("queue", arguments->queue,
                  "Its name: letters, digits, '.', '_' and '-', but not '.' or '..'")
      ->required();
  add_option_flags(verb, arguments->options);
  add_create_missing(verb, arguments->missing);
  on_run(verb, session, [arguments](CommandSession& s) { return create(s, *arguments); });
}

void add_queue_alter(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<DeclareArguments>();
  CLI::App& verb = add_verb(group, session, "alter", "Change a queue's options; what is not given stays",
                            {"holdfast queue alter orders --max-deliveries 10",
                             "holdfast queue alter orders --no-dead-letter-queue --discard-rejected"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  add_option_flags(verb, arguments->options);
  verb.add_flag_callback(
          "--no-dead-letter-queue", [arguments] { arguments->options.changes.dead_letters.queue = ""; },
          "Have no dead letter queue: messages are retried forever")
      ->excludes("--dead-letter-queue");
  verb.add_flag_callback(
          "--keep-rejected",
          [arguments] { arguments->options.changes.dead_letters.discard_rejected = false; },
          "Undo --discard-rejected")
      ->excludes("--discard-rejected");
  verb.add_flag_callback(
          "--ungrouped", [arguments] { arguments->options.changes.grouping.mode = Grouping::kNone; },
          "Undo --ordered or --fair")
      ->excludes("--ordered")
      ->excludes("--fair");
  verb.add_flag_callback(
          "--no-tags", [arguments] { arguments->options.changes.tags.emplace(); }, "Remove all tags")
      ->excludes("--tag");
  add_create_missing(verb, arguments->missing);
  on_run(verb, session, [arguments](CommandSession& s) { return alter(s, *arguments); });
}

}  // namespace holdfast::command
