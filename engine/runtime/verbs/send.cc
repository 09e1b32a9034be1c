#include "base/content_hash.h"
#include "base/validate.h"
#include "core/seq_math.h"
#include "runtime/engine_impl.h"
#include "runtime/send_lookup.h"

namespace holdfast {
namespace {

struct Submitted {
  std::vector<Result<Sent>> results;
  std::optional<GroupNumber> group;  // set if anything is to be committed
  Request request;                   // until then
  std::shared_ptr<Queue> full = {};  // set if the queue is to make room
};

std::uint64_t content_of(std::string_view queue, std::span<const Message> messages,
                         const SendOptions& options) {
  if (options.request_id.empty()) return 0;
  ContentHash content;
  content.add("send").add(queue).add(static_cast<std::uint64_t>(options.durability.value_or(Durability{})));
  for (const Message& message : messages) content.add(message);
  return content.value();
}

// What an earlier call with the same request id has answered. What is answered to be on disk is: the commit
// that this one waits for is as durable as asked, and so is all before it.
Submitted answer_again(Engine::Impl& engine, Queue& queue, const RequestRow& row,
                       const SendOptions& options) {
  Submitted submitted;
  {
    const LockedQueue locked(engine.pipeline.gate(), queue);
    submitted.group = engine.pipeline.join(options.durability.value_or(queue.options().durability));
  }
  for (const MessageId& id : row.ids) submitted.results.emplace_back(Sent{.id = id});
  for (const std::uint32_t index : row.duplicates) {
    if (index < submitted.results.size()) submitted.results[index]->duplicate = true;
  }
  for (const auto& [index, error] : row.failed) {
    if (index < submitted.results.size()) submitted.results[index] = tl::unexpected(error);
  }
  return submitted;
}

void record_answer(const Submitted& submitted, Durability durability) {
  if (!submitted.request) return;
  RequestRow row;
  for (std::size_t i = 0; i < submitted.results.size(); ++i) {
    const auto& result = submitted.results[i];
    row.ids.push_back(result ? result->id : MessageId{});
    if (result && result->duplicate) row.duplicates.push_back(static_cast<std::uint32_t>(i));
    if (!result) row.failed.emplace_back(static_cast<std::uint32_t>(i), result.error());
  }
  submitted.request.record(0, std::move(row), durability);
}

// Gives the bytes of the messages.
Result<std::size_t> validate_batch(std::span<const Message> messages) {
  if (auto ok = validate_batch_entries(messages.size(), "messages"); !ok) return tl::unexpected(ok.error());
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += byte_size(message);
  if (auto ok = validate_batch_bytes(bytes, messages.size()); !ok) return tl::unexpected(ok.error());
  return bytes;
}

Result<Submitted> submit(Engine::Impl& engine, std::string_view queue_name, std::span<const Message> messages,
                         const SendOptions& options) {
  const auto bytes = validate_batch(messages);
  if (!bytes) return tl::unexpected(bytes.error());
  auto found = engine.catalog.find(queue_name);
  if (!found) return tl::unexpected(found.error());
  const std::shared_ptr<Queue>& queue = *found;
  auto request = Request::begin(engine.requests, options.request_id,
                                content_of(queue_name, messages, options), engine.clock.stored_now());
  if (!request) return tl::unexpected(request.error());
  auto answered = request->answered();
  if (!answered) return tl::unexpected(answered.error());
  if (*answered) return answer_again(engine, *queue, **answered, options);
  if (auto ok = engine.space.admit(*bytes); !ok) return tl::unexpected(ok.error());

  Submitted submitted;
  submitted.request = std::move(*request);
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
  if (auto ok = queue->check_open(); !ok) return tl::unexpected(ok.error());
  const Timestamp time = engine.now();
  bool any = false;
  bool sent = false;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!submitted.results[i]) continue;
    if (auto ok = queue->admit(messages[i]); !ok) {
      submitted.results[i] = tl::unexpected(ok.error());
      continue;
    }
    if (const auto original = lookup->original(i, time)) {
      any = true;
      submitted.results[i] = Sent{.id = *original, .duplicate = true};
      continue;
    }
    if (auto ok = queue->check_room(byte_size(messages[i]), {}); !ok) {
      submitted.results[i] = tl::unexpected(ok.error());
      continue;
    }
    any = sent = true;
    submitted.results[i]->id = engine.ids->next_message(time);
    queue->send(submitted.results[i]->id, time, messages[i]);
    lookup->remember(i, {submitted.results[i]->id, time}, engine.pipeline);
  }
  if (!any) return submitted;
  // Also if all were sent before: the reply promises what was asked for the first ones too.
  const Durability asked = options.durability.value_or(queue->options().durability);
  submitted.group = engine.pipeline.join(queue, asked);
  record_answer(submitted, asked);
  if (sent && queue->drop_excess()) submitted.full = queue;
  engine.after_change(queue, time);
  return submitted;
}

// What cannot leave now leaves with the next send: this one has succeeded.
void shorten(Engine::Impl& engine, const std::shared_ptr<Queue>& queue) {
  const auto group = engine.make_room(queue);
  if (group && *group) (void)engine.pipeline.wait(**group);
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
  if (submitted->full) shorten(*impl_, submitted->full);
  return std::move(submitted->results);
}

Result<Sent> Engine::send(std::string_view queue, Message message, SendOptions options) {
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  auto results = send_batch(queue, std::move(messages), options);
  if (!results) return tl::unexpected(results.error());
  return std::move(results->front());
}

void Engine::Impl::start_send(std::string_view queue, std::span<const Message> messages,
                              const SendOptions& send_options, SendCallback done) {
  const auto call = begin_call();
  if (!call) return done(tl::unexpected(call.error()));
  auto submitted = submit(*this, queue, messages, send_options);
  if (!submitted) return done(tl::unexpected(submitted.error()));
  if (!submitted->group) return done(std::move(submitted->results));
  if (submitted->full) shorten(*this, submitted->full);
  pipeline.on_commit(*submitted->group, [this, state = std::make_shared<Submitted>(std::move(*submitted)),
                                         done = std::move(done)](const Result<void>& committed) {
    if (!committed) return done(tl::unexpected(committed.error()));
    set_durability(*state, pipeline.durability_of(*state->group));
    done(std::move(state->results));
  });
}

void Engine::async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                              SendCallback done) {
  const auto found = impl_->catalog.find(queue);
  const bool may_block =
      found && ((*found)->deduplication.load(std::memory_order_relaxed) != Deduplication::kNone ||
                (*found)->drops_heads.load(std::memory_order_relaxed));
  if (!may_block && impl_->needs_no_look(options.request_id)) {
    return impl_->start_send(queue, messages, options, std::move(done));
  }
  // An earlier answer, or message, is looked for on disk; or others are read to dead-letter them.
  const auto call = impl_->begin_call();
  if (!call) return done(tl::unexpected(call.error()));
  impl_->background.post([impl = impl_.get(), name = std::string(queue), messages = std::move(messages),
                          options = std::move(options),
                          done = std::move(done)] { impl->start_send(name, messages, options, done); });
}

}  // namespace holdfast
