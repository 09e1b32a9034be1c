// Sends and receives through a server, as a program of someone who installed Holdfast.
#include <holdfast/client.h>

#include <cstdio>

#include "report.h"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  auto client = holdfast::Client::connect(argc > 1 ? argv[1] : "127.0.0.1:7700");
  if (!client) return report(client.error());

  if (auto created = client->create_queue("orders"); !created) return report(created.error());
  if (auto sent = client->send("orders", {.body = "42 widgets"}); !sent) return report(sent.error());
  for (auto& delivery : *client->receive("orders", {.max = 10, .wait = 5s})) {
    if (auto acked = client->ack(delivery.receipt); !acked) return report(acked.error());
    std::printf("%.*s\n", static_cast<int>(delivery.body.size()), delivery.body.data());
  }
}
