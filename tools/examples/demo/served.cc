// The demo with a server: a producer process and worker processes talk to a holdfastd, which is killed
// midway.
#include <fmt/format.h>

#include "holdfast/client.h"
#include "tools/examples/demo/process.h"
#include "tools/examples/demo/producer.h"
#include "tools/examples/demo/scenario.h"
#include "tools/examples/demo/server_process.h"

namespace holdfast::demo {
namespace {

// Returns whether the producer is done, or an error if it failed.
Result<bool> is_done(Process& producer, const Setting& setting) {
  const auto ending = producer.poll();
  if (!ending) return false;
  if (ending->status == 0 && ending->signal == 0) return true;
  return fail(ErrorCode::kInternal, fmt::format("the producer failed; see {}", setting.log().string()));
}

}  // namespace

Result<Outcome> run_served(const Setting& setting, Narrator& narrator) {
  auto server = ServerProcess::start(setting.holdfastd, setting.data(), setting.log());
  if (!server) return tl::unexpected(server.error());
  narrator.say(fmt::format("holdfastd serves {}; a producer and {} worker processes start.",
                           server->address(), setting.workers));
  auto client = Client::connect(server->address(), {.name = "demo"});
  if (!client) return tl::unexpected(client.error());
  if (auto created = create_queues(*client); !created) return tl::unexpected(created.error());

  ProcessWorkers workers(setting.worker_options(), server->address());
  if (auto started = workers.start(false); !started) return tl::unexpected(started.error());
  auto producer = Process::start({own_program(), "producer", "--server", server->address(), "--index",
                                  setting.index_file, "--ledgers", setting.ledgers()},
                                 setting.log());
  if (!producer) return tl::unexpected(producer.error());

  bool killed = false;
  auto worked = work_off(*client, workers, narrator, sending_bars(setting.index.size()),
                         [&](const QueueInfo& info) -> Result<bool> {
                           if (!killed && info.totals.sent >= setting.index.size() / 2) {
                             killed = true;
                             narrator.say("kill -9 holdfastd, and start it again on the same data.");
                             if (auto restarted = server->kill_and_restart(); !restarted)
                               return tl::unexpected(restarted.error());
                           }
                           return is_done(*producer, setting);
                         });
  workers.stop();
  if (!worked) return tl::unexpected(worked.error());
  auto outcome = bring_back(*client, workers, narrator, setting);
  if (!outcome) return outcome;
  client->close();
  if (auto stopped = server->stop(); !stopped) return tl::unexpected(stopped.error());
  return outcome;
}

}  // namespace holdfast::demo
