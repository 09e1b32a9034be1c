// The demo in one process, with an engine, a producer thread and worker threads.
#include <unistd.h>

#include <csignal>
#include <future>

#include "holdfast/engine.h"
#include "tools/examples/demo/process.h"
#include "tools/examples/demo/producer.h"
#include "tools/examples/demo/scenario.h"

namespace holdfast::demo {
namespace {

// Sends and checks packages until all are settled. `watch` is called with the queue's state, many times a
// second.
Result<void> send_and_check(Engine& engine, Workers& workers, const Setting& setting, Narrator& narrator,
                            const std::function<void(const QueueInfo&)>& watch) {
  if (auto created = create_queues(engine); !created) return created;
  if (auto started = workers.start(false); !started) return started;
  auto producer = std::async(std::launch::async, [&engine, &setting] {
    return produce(engine, setting.index, setting.ledgers() / "producer");
  });
  auto worked = work_off(engine, workers, narrator, sending_bars(setting.index.size()),
                         [&](const QueueInfo& info) -> Result<bool> {
                           watch(info);
                           return producer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
                         });
  workers.stop();
  auto produced = producer.get();
  return worked ? produced : worked;
}

}  // namespace

Result<void> run_until_killed(const Setting& setting, Narrator& narrator) {
  auto engine = Engine::open(setting.data());
  if (!engine) return tl::unexpected(engine.error());
  ThreadWorkers workers(setting.worker_options(), *engine);
  return send_and_check(*engine, workers, setting, narrator, [&setting](const QueueInfo& info) {
    if (info.totals.sent >= setting.index.size() / 2) ::kill(::getpid(), SIGKILL);
  });
}

Result<Outcome> run_embedded(const Setting& setting, Narrator& narrator, bool json) {
  narrator.say(
      "A process with an engine, a producer thread and worker threads starts; it will be killed midway.");
  std::vector<std::string> command{own_program(),     "--embedded",       "--until-killed",
                                   "--index",         setting.index_file, "--directory",
                                   setting.directory, "--workers",        std::to_string(setting.workers)};
  if (json) command.emplace_back("--json");
  auto first_process = Process::start(command);
  if (!first_process) return tl::unexpected(first_process.error());
  if (first_process->wait().signal != SIGKILL)
    return fail(ErrorCode::kInternal, "the first process was not killed");
  narrator.say("kill -9. This process opens the same directory and goes on.");

  auto engine = Engine::open(setting.data());
  if (!engine) return tl::unexpected(engine.error());
  ThreadWorkers workers(setting.worker_options(), *engine);
  auto worked = send_and_check(*engine, workers, setting, narrator, [](const QueueInfo&) {});
  if (!worked) return tl::unexpected(worked.error());
  return bring_back(*engine, workers, narrator, setting);
}

}  // namespace holdfast::demo
