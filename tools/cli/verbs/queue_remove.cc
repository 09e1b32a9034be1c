// `holdfast queue delete` and `purge` remove a queue, or only its messages. They say what they will touch,
// and ask before they do.
#include <fmt/format.h>

#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/queue_verbs.h"

namespace holdfast::command {
namespace {

struct RemoveArguments {
  std::string queue;
  bool yes = false;
};

std::string contents(const QueueCounts& counts) {
  return fmt::format("{} ({} ready, {} waiting, {} leased; {})",
                     counted(counts.ready + counts.waiting + counts.leased, "message"), counts.ready,
                     counts.waiting, counts.leased, counted(counts.dead, "dead letter"));
}

// Returns whether to go on.
Result<bool> confirmed(CommandSession& session, Broker& broker, const RemoveArguments& arguments,
                       const std::string& what) {
  auto info = broker.describe_queue(arguments.queue);
  if (!info) return tl::unexpected(info.error());
  return session.go_ahead(fmt::format("{} '{}' with {}?", what, arguments.queue, contents(info->counts)),
                          arguments.yes);
}

Result<void> remove(CommandSession& session, const RemoveArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto go = confirmed(session, **broker, arguments, "delete queue");
  if (!go) return tl::unexpected(go.error());
  if (!*go) return {};
  auto deleted = (*broker)->delete_queue(arguments.queue);
  if (!deleted) return deleted;
  if (session.json()) {
    session.print({{"queue", arguments.queue}, {"deleted", true}});
  } else {
    session.out() << "deleted " << arguments.queue << '\n';
  }
  return {};
}

Result<void> purge(CommandSession& session, const RemoveArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  auto go = confirmed(session, **broker, arguments, "delete all messages of");
  if (!go) return tl::unexpected(go.error());
  if (!*go) return {};
  auto purged = (*broker)->purge_queue(arguments.queue);
  if (!purged) return tl::unexpected(purged.error());
  if (session.json()) {
    session.print({{"queue", arguments.queue}, {"purged", *purged}});
  } else {
    session.out() << "purged " << counted(*purged, "message") << " from " << arguments.queue << '\n';
  }
  return {};
}

}  // namespace

void add_queue_delete(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<RemoveArguments>();
  CLI::App& verb = add_verb(group, session, "delete", "Delete a queue and all that is in it; asks first",
                            {"holdfast queue delete orders", "holdfast queue delete orders --yes"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_flag("-y,--yes", arguments->yes, "Do not ask");
  on_run(verb, session, [arguments](CommandSession& s) { return remove(s, *arguments); });
}

void add_queue_purge(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<RemoveArguments>();
  CLI::App& verb =
      add_verb(group, session, "purge", "Delete all messages of a queue, the leased ones too; asks first",
               {"holdfast queue purge orders", "holdfast queue purge orders --yes"});
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_flag("-y,--yes", arguments->yes, "Do not ask");
  on_run(verb, session, [arguments](CommandSession& s) { return purge(s, *arguments); });
}

}  // namespace holdfast::command
