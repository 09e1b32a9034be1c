// EngineInside has what an engine does for the server and for tests, and not for its users.
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

// The class is defined call by call, as Engine is: each function stands beside the calls of Engine that it
// shares code with, in folders that this one may not include.
class EngineInside {
 public:
  // Opens an engine over a store of the caller's own, such as one in memory or one that fails when a test
  // wants it to.
  static Result<Engine> open_over(std::unique_ptr<Store> store, EngineOptions options = {});

  // Returns those of the receipts whose deliveries are not over: they are neither settled nor run out, and
  // their messages are still there. The result keeps the order of the receipts. There may be any number of
  // them, of any queues. The function reads nothing from disk. kClosed, kStorageFailed.
  static Result<std::vector<Receipt>> leased(const Engine& engine, std::span<const Receipt> receipts);

  // Returns the name of the queue that has this id, or nothing if there is none or the engine takes no more
  // calls. A deletion that is not committed yet does not count. The function waits for nothing, and takes as
  // long whether or not there is such a queue.
  static std::optional<std::string> queue_name(const Engine& engine, QueueId id);

  // Returns whether an earlier call has used the request id, whatever that call was about. The function waits
  // for a call under way that has the id. kLimitExceeded if the id is too long, kClosed, kStorageFailed.
  static Result<bool> knows_request(const Engine& engine, const std::string& request_id);

  // These do one part of Engine::change_dead_letters or Engine::discard_dead_letters, which is a few thousand
  // dead letters.
  static Result<BulkPartChanged> change_part(Engine& engine, std::string_view queue, const BulkPart& part,
                                             const DeadLetterChanges& changes);
  static Result<BulkPartChanged> discard_part(Engine& engine, std::string_view queue, const BulkPart& part);
};

}  // namespace holdfast
