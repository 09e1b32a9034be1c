#include "tests/fuzz/rpc_found.h"

#include <string>
#include <vector>

#include "holdfast/limits.h"
#include "tests/fuzz/wire_samples.h"
#include "tests/support/result_matchers.h"

namespace holdfast::fuzz {
namespace {

using testing::must;

server::TokenEntry entry_of(const Guest& guest) {
  const std::string name = guest.name;
  return must(server::parse_token_line(name + " " + server::hash_of(name) + " " + guest.rights)).value();
}

}  // namespace

Found prepare(Engine& engine) {
  must(engine.create_queue("parked"));
  must(engine.create_queue(kQueue,
                           {.dead_letters = {.queue = kDead, .direct_sends = true, .parking_queue = "parked"},
                            .journal = {.max_entries = limits::kJournalEntriesMin}},
                           MissingQueues::kCreate));
  Found found;
  found.message = must(engine.send(kQueue, {.body = "in hand"})).id;
  found.receipt = must(engine.receive(kQueue, {.lease = limits::kLeaseMax})).front().receipt;
  // What comes to kQueue after this call is a dead letter. The leased message is none.
  must(engine.create_queue(kSource, {.dead_letters = {.queue = kQueue}}, MissingQueues::kCreate));
  const Message bad{.body = R"({"number":1})", .attributes = {{kHiddenAttribute, "4111"}, {"colour", "red"}}};
  for (int i = 0; i < 2; ++i) must(engine.send(kSource, bad));
  for (const Delivery& delivery : must(engine.receive(kSource, {.max = 2}))) {
    found.foreign = delivery.receipt;
    must(engine.reject(delivery.receipt,
                       {.category = "validation", .reason = "a bad number", .partial_output = "half"}));
  }
  found.task = must(engine.redrive(kQueue, {.max = 1})).task;
  found.letter = must(engine.list_dead_letters(kQueue, {.bodies = true})).items.front();
  must(engine.send(kQueue, {.body = "ready", .attributes = {{kHiddenAttribute, "4111"}}}));
  return found;
}

const Guest& night() {
  static const Guest night{.name = "night",
                           .rights =
                               "operate,administer:orders operate,administer:dead produce:source hide=body "
                               "hide=attribute:card",
                           .may = {"hello",
                                   "authenticate",
                                   "listQueues",
                                   "describeQueue",
                                   "messageHistory",
                                   "findDeadLetters",
                                   "redriveStatus",
                                   "listRedrives",
                                   "cancelRedrive",
                                   "alterQueue",
                                   "purgeQueue",
                                   "compact",
                                   "peek",
                                   "pauseQueue",
                                   "resumeQueue",
                                   "queueStatistics",
                                   "deadLetterStatistics",
                                   "listDeadLetters",
                                   "groupDeadLetters",
                                   "changeDeadLetters",
                                   "discardDeadLetters",
                                   "redrive"}};
  return night;
}

const Guest& worker() {
  static const Guest worker{.name = "worker",
                            .rights = "produce,consume:orders",
                            .may = {"hello", "authenticate", "listQueues", "describeQueue", "messageHistory",
                                    "findDeadLetters", "listRedrives", "sendBatch", "receive", "subscribe",
                                    "ackBatch", "extendBatch", "startBatch", "releaseBatch", "rejectBatch"}};
  return worker;
}

std::shared_ptr<const server::Tokens> tokens() {
  static const auto tokens =
      std::make_shared<const server::Tokens>(std::vector{entry_of(night()), entry_of(worker())});
  return tokens;
}

}  // namespace holdfast::fuzz
