#include "base/validate.h"
#include "core/seq_math.h"
#include "holdfast/limits.h"
#include "runtime/engine_impl.h"
#include "runtime/send_lookup.h"

namespace holdfast {
namespace {

struct Submitted {
  std::vector<Result<Sent>> results;
  std::optional<GroupNumber> group;  // set if anything is to be committed
};

// Gives the bytes of the messages.
Result<std::size_t> validate_batch(std::span<const Message> messages) {
  if (auto ok = validate_batch_entries(messages.size(), "messages"); !ok) return tl::unexpected(ok.error());
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += byte_size(message);
  if (bytes <= limits::kBatchBytes) return bytes;
  return fail(ErrorCode::kLimitExceeded, "the batch has " + std::to_string(bytes) + " bytes, the limit is " +
                                             std::to_string(limits::kBatchBytes));
}

Result<Submitted> submit(Engine::Impl& engine, std::string_view queue_name, std::span<const Message> messages,
                         const SendOptions& options) {
  const auto bytes = validate_batch(messages);
  if (!bytes) return tl::unexpected(bytes.error());
  if (auto ok = engine.space.admit(*bytes); !ok) return tl::unexpected(ok.error());
  auto found = engine.catalog.find(queue_name);
  if (!found) return tl::unexpected(found.error());
  const std::shared_ptr<Queue>& queue = *found;

  Submitted submitted;
  submitted.results.reserve(messages.size());
  for (const Message& message : messages) {
    if (auto ok = validate(message); ok) {
      submitted.results.emplace_back(Sent{});
    } else {
      submitted.results.emplace_back(tl::unexpected(ok.error()));
    }
  }

  std::optional<SendLookup> lookup;
  std::optional<LockedQueue> locked;
  do {
    locked.reset();
    lookup.emplace(*queue);
    if (auto ok = lookup->read(*engine.store, messages); !ok) return tl::unexpected(ok.error());
    locked.emplace(engine.pipeline.gate(), *queue);
  } while (lookup->outdated());
  if (queue->deleted) return fail(ErrorCode::kQueueNotFound, "the queue was deleted");
  const Timestamp time = engine.now();
  bool any = false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!submitted.results[i]) continue;
    if (messages[i].visible_at) {
      if (auto ok = validate_visible_at(*messages[i].visible_at, time); !ok) {
        submitted.results[i] = tl::unexpected(ok.error());
        continue;
      }
    }
    if (auto ok = queue->check_priority(messages[i]); !ok) {
      submitted.results[i] = tl::unexpected(ok.error());
      continue;
    }
    any = true;
    if (const auto original = lookup->original(i, time)) {
      submitted.results[i] = Sent{.id = *original, .duplicate = true};
      continue;
    }
    submitted.results[i]->id = engine.ids->next_message(time);
    queue->send(submitted.results[i]->id, time, messages[i]);
    lookup->remember(i, {submitted.results[i]->id, time}, engine.pipeline);
  }
  if (!any) return submitted;
  // Also if all were sent before: the reply promises what was asked for the first ones too.
  submitted.group = engine.pipeline.join(queue, options.durability.value_or(queue->options().durability));
  engine.after_change(queue, time);
  return submitted;
}

void set_durability(Submitted& submitted, Durability durability) {
  for (Result<Sent>& result : submitted.results) {
    if (result) result->durability = durability;
  }
}

}  // namespace

Result<std::vector<Result<Sent>>> Engine::send_batch(std::string_view queue, std::vector<Message> messages,
                                                     SendOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  auto submitted = submit(*impl_, queue, messages, options);
  if (!submitted) return tl::unexpected(submitted.error());
  if (!submitted->group) return std::move(submitted->results);
  if (auto ok = impl_->pipeline.wait(*submitted->group); !ok) return tl::unexpected(ok.error());
  set_durability(*submitted, impl_->pipeline.durability_of(*submitted->group));
  return std::move(submitted->results);
}

Result<Sent> Engine::send(std::string_view queue, Message message, SendOptions options) {
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  auto results = send_batch(queue, std::move(messages), options);
  if (!results) return tl::unexpected(results.error());
  return std::move(results->front());
}

void Engine::async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                              Callback<std::vector<Result<Sent>>> done) {
  const auto call = impl_->begin_call();
  if (!call) return done(tl::unexpected(call.error()));
  auto submitted = submit(*impl_, queue, messages, options);
  if (!submitted) return done(tl::unexpected(submitted.error()));
  if (!submitted->group) return done(std::move(submitted->results));
  impl_->pipeline.on_commit(*submitted->group,
                            [impl = impl_.get(), state = std::make_shared<Submitted>(std::move(*submitted)),
                             done = std::move(done)](const Result<void>& committed) {
                              if (!committed) return done(tl::unexpected(committed.error()));
                              set_durability(*state, impl->pipeline.durability_of(*state->group));
                              done(std::move(state->results));
                            });
}

}  // namespace holdfast
