// `holdfast queue` groups the verbs for queues. The help lists them in the order in which they are added
// here.
#include "tools/cli/verbs.h"
#include "tools/cli/verbs/queue_verbs.h"

namespace holdfast::command {

void add_queue_verbs(CLI::App& root, CommandSession& session) {
  CLI::App& group = add_verb(
      root, session, "queue", "Create, look at, change and delete queues",
      {"holdfast queue create orders --dead-letter-queue orders-dlq --create-missing", "holdfast queue list",
       "holdfast queue describe orders", "holdfast queue alter orders --lease 1m"});
  group.require_subcommand(1);
  add_queue_create(group, session);
  add_queue_list(group, session);
  add_queue_describe(group, session);
  add_queue_alter(group, session);
  add_queue_pause(group, session);
  add_queue_resume(group, session);
  add_queue_purge(group, session);
  add_queue_delete(group, session);
}

}  // namespace holdfast::command
