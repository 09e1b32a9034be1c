// What an engine does for the server and for tests, and not for its users.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/helpers/bulk_part.h"
#include "holdfast/engine.h"

namespace holdfast {

class Store;

class EngineInside {
 public:
  // Opens over a store of the caller's own: one in memory, or one that fails when a test wants it to.
  static Result<Engine> open_over(std::unique_ptr<Store> store, EngineOptions options = {});

  // Those of the receipts whose deliveries are not over: neither settled nor run out, and their messages
  // still there. In their order; any number of them, of any queues. Reads nothing from disk. kClosed,
  // kStorageFailed.
  static Result<std::vector<Receipt>> leased(const Engine& engine, std::span<const Receipt> receipts);

  // The name of the queue that has this id; nothing if there is none, or the engine does not take calls any
  // more. A deletion that is not committed yet does not count. Waits for nothing, and takes as long whether
  // or not there is such a queue.
  static std::optional<std::string> queue_name(const Engine& engine, QueueId id);

  // Whether an earlier call has used the request id, whatever that call was about. Waits for a call under way
  // that has the id. kLimitExceeded if the id is too long, kClosed, kStorageFailed.
  static Result<bool> knows_request(const Engine& engine, const std::string& request_id);

  // One part of Engine::change_dead_letters or Engine::discard_dead_letters: a few thousand dead letters.
  static Result<BulkPartChanged> change_part(Engine& engine, std::string_view queue, const BulkPart& part,
                                             const DeadLetterChanges& changes);
  static Result<BulkPartChanged> discard_part(Engine& engine, std::string_view queue, const BulkPart& part);
};

}  // namespace holdfast
