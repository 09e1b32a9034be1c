// `holdfast queue pause` and `resume` stop and start the deliveries of a queue, its sends, or both. Both are
// meant if neither flag is given.
#include "tools/cli/verbs/queue_verbs.h"

namespace holdfast::command {
namespace {

struct PauseArguments {
  std::string queue;
  Pause what;
};

using Call = Result<void> (Broker::*)(std::string_view name, Pause what);

Result<void> set(CommandSession& session, const PauseArguments& arguments, Call call,
                 const std::string& done) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  // Without either flag, both are meant.
  const Pause what = arguments.what == Pause{} ? Pause{.deliveries = true, .sends = true} : arguments.what;
  if (auto ok = ((**broker).*call)(arguments.queue, what); !ok) return ok;
  if (session.json()) {
    session.print({{"queue", arguments.queue},
                   {"outcome", done},
                   {"deliveries", what.deliveries},
                   {"sends", what.sends}});
  } else {
    session.out() << done << ' ' << arguments.queue << '\n';
  }
  return {};
}

void add(CLI::App& verb, CommandSession& session, Call call, const std::string& done) {
  auto arguments = std::make_shared<PauseArguments>();
  verb.add_option("queue", arguments->queue, "The queue")->required();
  verb.add_flag("--deliveries", arguments->what.deliveries, "Only deliveries");
  verb.add_flag("--sends", arguments->what.sends, "Only sends");
  on_run(verb, session,
         [arguments, call, done](CommandSession& s) { return set(s, *arguments, call, done); });
}

}  // namespace

void add_queue_pause(CLI::App& group, CommandSession& session) {
  add(add_verb(group, session, "pause", "Stop deliveries and sends of a queue",
               {"holdfast queue pause orders", "holdfast queue pause orders --deliveries"}),
      session, &Broker::pause_queue, "paused");
}

void add_queue_resume(CLI::App& group, CommandSession& session) {
  add(add_verb(group, session, "resume", "Start what pause stopped",
               {"holdfast queue resume orders", "holdfast queue resume orders --sends"}),
      session, &Broker::resume_queue, "resumed");
}

}  // namespace holdfast::command
