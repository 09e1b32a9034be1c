// holdfast queue create, alter
#include "tools/cli/policy_settings.h"
#include "tools/cli/verbs/queue_verbs.h"
#include "tools/cli/views/queue_text.h"

namespace holdfast::command {
namespace {

void add_routes(CLI::App& verb, QueueChanges& changes) {
  verb.add_option_function<std::vector<std::string>>(
          "--dead-letter-route",
          [&changes](const std::vector<std::string>& texts) {
            auto& routes = changes.dead_letter_routes.emplace();
            for (const std::string& text : texts) {
              const auto equals = text.rfind('=');
              if (equals == std::string::npos) {
                throw CLI::ValidationError("--dead-letter-route", "'" + text + "' is not CATEGORY=QUEUE");
              }
              routes.push_back({.category = text.substr(0, equals), .queue = text.substr(equals + 1)});
            }
          },
          "Where messages go instead whose last failure has this category, whatever they die of; may be "
          "repeated, and "
          "replaces all routes")
      ->type_name("CATEGORY=QUEUE")
      ->allow_extra_args(false);
  verb.add_flag_callback(
      "--no-dead-letter-routes", [&changes] { changes.dead_letter_routes.emplace(); },
      "All dead letters go to the dead letter queue");
  verb.add_option_function<std::vector<std::string>>(
          "--dead-letter-sources",
          [&changes](const std::vector<std::string>& names) {
            using Allow = DeadLetterSources::Allow;
            changes.dead_letter_sources = {.allow = Allow::kListed, .queues = names};
            if (names == std::vector<std::string>{"all"})
              changes.dead_letter_sources = {.allow = Allow::kAll};
            if (names == std::vector<std::string>{"none"})
              changes.dead_letter_sources = {.allow = Allow::kNone};
          },
          "Who may use this as their dead letter queue: all, none, or these queues")
      ->delimiter(',')
      ->type_name("all|none|QUEUE,...");
}

void add_searched(CLI::App& verb, QueueChanges& changes) {
  verb.add_option_function<std::vector<std::string>>(
          "--searched-attributes",
          [&changes](const std::vector<std::string>& names) {
            const bool none = names == std::vector<std::string>{""};
            changes.searched_attributes = none ? std::vector<std::string>() : names;
          },
          "Of a dead letter queue: attributes by whose values dlq find looks at once; \"\": none")
      ->delimiter(',')
      ->type_name("ATTRIBUTE,...");
}

void add_changes(CLI::App& verb, QueueChanges& changes) {
  add_duration(verb, "--keep-replayed", changes.keep_replayed,
               "How long replayed dead letters stay in this queue [90d]");
  add_duration(verb, "--keep-abandoned", changes.keep_abandoned, "How long abandoned ones do [365d]");
  add_duration(verb, "--keep-unresolved", changes.keep_unresolved,
               "How long those that nobody resolved do, from their death on; 0: until somebody does");
  verb.add_option("--direct-sends", changes.direct_sends,
                  "Of a dead letter queue: whether it takes sends, each a dead letter at once [no]")
      ->check(CLI::IsMember({"yes", "no"}));
  add_routes(verb, changes);
  add_searched(verb, changes);
  verb.add_option("--max-deliveries", changes.max_deliveries,
                  "Dead-letter a message after this many deliveries without an ack, 1 to 1000");
  verb.add_option("--parking-queue", changes.parking_queue,
                  "Of a dead letter queue: where dead letters are put aside for people; \"\": nowhere")
      ->type_name(kQueueType);
  add_duration(verb, "--lease", changes.lease, "How long a delivery is leased when receive does not say");
  add_durability(verb, changes.durability);
  verb.add_flag_callback(
      "--discard-rejected", [&changes] { changes.discard_rejected = true; },
      "Without a dead letter queue, reject discards the message for good");
  add_duration(verb, "--delay", changes.delay, "Messages wait this long before their first delivery");
  auto* ordered = verb.add_flag_callback(
      "--ordered", [&changes] { changes.grouping = Grouping::kOrdered; },
      "Hand out each message group in order, to one holder at a time");
  verb.add_flag_callback(
          "--fair", [&changes] { changes.grouping = Grouping::kFair; },
          "Let message groups take turns, so that a large one does not keep the others waiting")
      ->excludes(ordered);
  verb.add_option_function<std::string>(
          "--dedup",
          [&changes](const std::string& text) {
            changes.deduplication = text == "id"        ? Deduplication::kById
                                    : text == "content" ? Deduplication::kByContent
                                                        : Deduplication::kNone;
          },
          "Add no message that was sent before: known by its id, by its body, or never")
      ->check(CLI::IsMember({"none", "id", "content"}));
  verb.add_option("--priorities", changes.priorities,
                  "Levels of priority, 1 to 16: the highest goes first [1: none]");
  add_duration(verb, "--priority-aging", changes.priority_aging,
               "A message goes before those of one level higher sent this much later [0s: never]");
  add_duration(verb, "--dedup-window", changes.deduplication_window, "How long a send is remembered [5m]");
  add_retry(verb, changes.retry);
  add_duration(verb, "--lifetime", changes.lifetime,
               "Dead-letter a message that fails this long after its first failure; 0: whatever it takes");
  add_duration(verb, "--ttl", changes.time_to_live, "Messages may be delivered for this long; 0: for ever");
  verb.add_option_function<std::string>(
          "--on-expiry",
          [&changes](const std::string& text) {
            changes.on_expiry = text == "drop" ? ExpiryPolicy::kDrop : ExpiryPolicy::kDeadLetter;
          },
          "What becomes of messages whose time is over")
      ->check(CLI::IsMember({"dead-letter", "drop"}));
  verb.add_option("--max-length", changes.max_length, "How many messages the queue may have; 0: any number");
  verb.add_option("--max-bytes", changes.max_bytes,
                  "How many bytes of bodies and attributes it may have; 0: any number")
      ->transform(CLI::AsSizeValue(false));
  verb.add_option("--max-body-bytes", changes.max_body_bytes, "The largest body, 1 to 64Mi [1Mi]")
      ->transform(CLI::AsSizeValue(false));
  verb.add_option_function<std::string>(
          "--on-overflow",
          [&changes](const std::string& text) {
            changes.on_overflow = text == "reject-send"        ? OverflowPolicy::kRejectSend
                                  : text == "dead-letter-head" ? OverflowPolicy::kDeadLetterHead
                                                               : OverflowPolicy::kDropHead;
          },
          "What a send to a full queue does: be refused, or make room")
      ->check(CLI::IsMember({"reject-send", "dead-letter-head", "drop-head"}));
  verb.add_option("--max-leased", changes.max_leased,
                  "How many messages may be leased at a time; 0: any number");
  add_tags(verb, changes.tags);
}

QueueOptions options_from(const QueueChanges& changes) {
  QueueOptions options;
  options.max_deliveries = changes.max_deliveries.value_or(options.max_deliveries);
  options.dead_letter_queue = changes.dead_letter_queue.value_or(options.dead_letter_queue);
  options.parking_queue = changes.parking_queue.value_or(options.parking_queue);
  options.auto_redrive = changes.auto_redrive.value_or(options.auto_redrive);
  options.alerts = changes.alerts.value_or(options.alerts);
  options.brake = changes.brake.value_or(options.brake);
  options.lease = changes.lease.value_or(options.lease);
  options.durability = changes.durability.value_or(options.durability);
  options.discard_rejected = changes.discard_rejected.value_or(options.discard_rejected);
  options.keep_replayed = changes.keep_replayed.value_or(options.keep_replayed);
  options.keep_abandoned = changes.keep_abandoned.value_or(options.keep_abandoned);
  options.dead_letter_routes = changes.dead_letter_routes.value_or(options.dead_letter_routes);
  options.dead_letter_sources = changes.dead_letter_sources.value_or(options.dead_letter_sources);
  options.keep_unresolved = changes.keep_unresolved.value_or(options.keep_unresolved);
  options.direct_sends = changes.direct_sends.value_or(options.direct_sends);
  options.searched_attributes = changes.searched_attributes.value_or(options.searched_attributes);
  options.delay = changes.delay.value_or(options.delay);
  options.grouping = changes.grouping.value_or(options.grouping);
  options.deduplication = changes.deduplication.value_or(options.deduplication);
  options.priorities = changes.priorities.value_or(options.priorities);
  options.priority_aging = changes.priority_aging.value_or(options.priority_aging);
  options.deduplication_window = changes.deduplication_window.value_or(options.deduplication_window);
  options.retry = changes.retry.value_or(options.retry);
  options.lifetime = changes.lifetime.value_or(options.lifetime);
  options.time_to_live = changes.time_to_live.value_or(options.time_to_live);
  options.on_expiry = changes.on_expiry.value_or(options.on_expiry);
  options.max_length = changes.max_length.value_or(options.max_length);
  options.max_bytes = changes.max_bytes.value_or(options.max_bytes);
  options.on_overflow = changes.on_overflow.value_or(options.on_overflow);
  options.max_body_bytes = changes.max_body_bytes.value_or(options.max_body_bytes);
  options.max_leased = changes.max_leased.value_or(options.max_leased);
  options.journal = changes.journal.value_or(options.journal);
  options.tags = changes.tags.value_or(options.tags);
  return options;
}

void print_declared(CommandSession& session, const std::string& queue, const QueueDeclared& declared,
                    const std::string& outcome) {
  if (session.json()) {
    session.print({{"queue", queue}, {"created", declared.created}, {"warnings", declared.warnings}});
    return;
  }
  session.out() << outcome << ' ' << queue << '\n';
  for (const std::string& warning : declared.warnings) session.warn(warning);
}

struct Arguments {
  std::string queue;
  QueueChanges changes;
  PolicySettings policies;
};

// The error of a queue that is there with other options, with the options that differ.
Result<void> differs(Broker& broker, const std::string& queue, const QueueOptions& asked) {
  std::string text = "queue '" + queue + "' exists with other options";
  if (const auto info = broker.describe_queue(queue)) text += ": " + differences(info->options, asked);
  return fail(ErrorCode::kQueueExists, text);
}

Result<void> create(CommandSession& session, Arguments arguments) {
  if (auto ok = apply(arguments.policies, {}, arguments.changes); !ok) return ok;
  auto broker = session.broker(true);
  if (!broker) return tl::unexpected(broker.error());
  const QueueOptions options = options_from(arguments.changes);
  auto declared = (*broker)->create_queue(arguments.queue, options);
  if (!declared && declared.error().code == ErrorCode::kQueueExists)
    return differs(**broker, arguments.queue, options);
  if (!declared) return tl::unexpected(declared.error());
  print_declared(session, arguments.queue, *declared, declared->created ? "created" : "exists already:");
  return {};
}

Result<void> alter(CommandSession& session, Arguments arguments) {
  if (arguments.policies.empty() && arguments.changes == QueueChanges{}) {
    return fail(ErrorCode::kInvalidArgument, "nothing to alter: give an option with its new value");
  }
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (!arguments.policies.empty()) {
    auto info = (*broker)->describe_queue(arguments.queue);
    if (!info) return tl::unexpected(info.error());
    if (auto ok = apply(arguments.policies, info->options, arguments.changes); !ok) return ok;
  }
  auto declared = (*broker)->alter_queue(arguments.queue, arguments.changes);
  if (!declared) return tl::unexpected(declared.error());
  print_declared(session, arguments.queue, *declared, "altered");
  return {};
}

}  // namespace

void add_queue_create(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(group, session, "create", "Create a queue",
                            {"holdfast queue create orders",
                             "holdfast queue create orders --max-deliveries 5 --dead-letter-queue orders-dlq",
                             "holdfast queue create payments --ordered --dedup id",
                             "holdfast queue create jobs --priorities 8 --priority-aging 10m"});
  verb.add_option("queue", arguments->queue, "Its name: letters, digits, '.', '_' and '-'")->required();
  verb.add_option("--dead-letter-queue", arguments->changes.dead_letter_queue,
                  "Where dead letters go; created if it does not exist")
      ->type_name(kQueueType);
  add_changes(verb, arguments->changes);
  add_policy_settings(verb, arguments->policies);
  on_run(verb, session, [arguments](CommandSession& s) { return create(s, *arguments); });
}

void add_queue_alter(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(group, session, "alter", "Change a queue's options; what is not given stays",
                            {"holdfast queue alter orders --max-deliveries 10",
                             "holdfast queue alter orders --no-dead-letter-queue --discard-rejected"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  auto* target = verb.add_option("--dead-letter-queue", arguments->changes.dead_letter_queue,
                                 "Where dead letters go; created if it does not exist")
                     ->type_name(kQueueType);
  verb.add_flag_callback(
          "--no-dead-letter-queue", [arguments] { arguments->changes.dead_letter_queue = ""; },
          "Dead letters go nowhere: messages are retried for ever")
      ->excludes(target);
  add_changes(verb, arguments->changes);
  add_policy_settings(verb, arguments->policies);
  verb.add_flag_callback(
      "--keep-rejected", [arguments] { arguments->changes.discard_rejected = false; },
      "Undo --discard-rejected");
  verb.add_flag_callback(
          "--ungrouped", [arguments] { arguments->changes.grouping = Grouping::kNone; },
          "Undo --ordered or --fair")
      ->excludes("--ordered")
      ->excludes("--fair");
  verb.add_flag_callback(
      "--no-tags", [arguments] { arguments->changes.tags.emplace(); }, "Remove all tags");
  on_run(verb, session, [arguments](CommandSession& s) { return alter(s, *arguments); });
}

}  // namespace holdfast::command
