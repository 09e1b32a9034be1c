#include "engine/messages/send.h"

#include "engine/base/helpers/batch_result.h"
#include "engine/base/helpers/content_hash.h"
#include "engine/base/validation/validate.h"
#include "engine/context/request_call.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/messages/kept.h"
#include "engine/upkeep/room_maker.h"

namespace holdfast {
namespace {

struct Submitted {
  std::vector<Result<Sent>> results;
  std::optional<GroupNumber> group;       // set if the answer waits for its commit
  Durability asked = Durability::kFsync;  // asked of `group`
  std::optional<Error> refused = {};      // the answer of a refused call, by what `group` commits
  HeldRequest request = {};               // held until the group is committed
  SpaceWatch::Claim space = {};           // held until the group is committed
  std::shared_ptr<Queue> full = {};       // set if the queue must make room
};

std::uint64_t content_of(std::string_view queue, std::span<const Message> messages,
                         const SendOptions& options) {
  ContentHash content;
  content.add("send").add(queue).add(static_cast<std::uint64_t>(options.durability.value_or(Durability{})));
  for (const Message& message : messages) content.add(message);
  return content.value();
}

// Answers what an earlier call with the same request id answered. If that said that a message is on disk, it
// is: the commit that this call waits for is as durable as asked, and so is all before it. `queue` is null if
// it was deleted since, which takes back nothing of the answer.
Submitted answer_again(Engine::Impl& engine, Queue* queue, const RequestRow& row, const SendOptions& options,
                       const HeldRequest& request) {
  Submitted submitted;
  submitted.request = request;
  if (queue != nullptr) {
    const LockedQueue locked(engine.pipeline.gate(), *queue);
    submitted.asked = options.durability.value_or(queue->options().durability);
    submitted.group = engine.pipeline.join(submitted.asked);
  } else {
    const Gate::Pass pass(engine.pipeline.gate());
    submitted.asked = options.durability.value_or(Durability::kFsync);
    submitted.group = engine.pipeline.join(submitted.asked);
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

void record_answer(const Submitted& submitted, Durability durability) HOLDFAST_REQUIRES_SHARED(inside_gate) {
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

// Returns the bytes of the messages.
Result<std::size_t> validate_batch(std::span<const Message> messages) {
  if (auto ok = validate_batch_entries(messages.size(), "messages"); !ok) return tl::unexpected(ok.error());
  std::size_t bytes = 0;
  for (const Message& message : messages) bytes += byte_size(message);
  if (auto ok = validate_batch_bytes(bytes, messages.size()); !ok) return tl::unexpected(ok.error());
  return bytes;
}

// A SendEffect says what a call has changed.
struct SendEffect {
  bool any = false;   // the call has a message that was sent, now or before
  bool sent = false;  // the call has sent one
};

// Sends those of the messages that are valid, new and admitted by the queue. `results` says which are valid,
// and then what became of each.
SendEffect send_each(Engine::Impl& engine, Queue& queue, const SendLookup& lookup,
                     std::span<const Message> messages, Timestamp time, std::vector<Result<Sent>>& results)
    HOLDFAST_REQUIRES(queue.mutex) {
  SendEffect effect;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!results[i]) continue;
    if (auto ok = queue.sends.admit(messages[i]); !ok) {
      results[i] = tl::unexpected(ok.error());
    } else if (const auto original = lookup.original(queue, i, time)) {
      effect.any = true;
      results[i] = Sent{.id = *original, .duplicate = true};
    } else if (auto room = queue.bounds.check_room(byte_size(messages[i]), {}); !room) {
      results[i] = tl::unexpected(room.error());
    } else {
      effect.any = effect.sent = true;
      results[i]->id = apply_send(engine, queue, lookup, i, messages[i], time);
    }
  }
  return effect;
}

Result<Submitted> submit(Engine::Impl& engine, std::string_view queue_name, std::span<const Message> messages,
                         const SendOptions& options, const HeldRequest& request) {
  const auto bytes = validate_batch(messages);
  if (!bytes) return tl::unexpected(bytes.error());
  if (request) request.begin(content_of(queue_name, messages, options), engine.clock.stored_now());
  auto answered = request.answered();
  if (!answered) return tl::unexpected(answered.error());
  auto found = engine.catalog.find(queue_name);
  if (*answered) return answer_again(engine, found ? found->get() : nullptr, **answered, options, request);
  if (!found) return tl::unexpected(found.error());
  const std::shared_ptr<Queue>& queue = *found;
  auto space = engine.space.admit(*bytes);
  if (!space) return tl::unexpected(space.error());

  Submitted submitted;
  submitted.request = request;
  submitted.space = std::move(*space);
  submitted.results.reserve(messages.size());
  for (const Message& message : messages) {
    if (auto ok = validate(message); ok) {
      submitted.results.emplace_back(Sent{});
    } else {
      submitted.results.emplace_back(tl::unexpected(ok.error()));
    }
  }

  std::optional<SendLookup> lookup;
  const auto look_up = [&] {
    lookup.emplace(*queue);
    return lookup->read(*engine.store, messages);
  };
  if (auto ok = look_up(); !ok) return tl::unexpected(ok.error());
  LockedQueue locked(engine.pipeline.gate(), *queue);
  while (lookup->outdated(*queue)) {
    locked.unlock();
    if (auto ok = look_up(); !ok) return tl::unexpected(ok.error());
    locked.lock();
  }
  if (queue->deleted()) {
    submitted.group = queue->deletion();
    submitted.refused = Queue::deleted_error();
    return submitted;
  }
  if (auto ok = queue->sends.check_open(); !ok) return tl::unexpected(ok.error());
  const Timestamp time = engine.now();
  const SendEffect effect = send_each(engine, *queue, *lookup, messages, time, submitted.results);
  if (!effect.any) return submitted;
  // The queue takes part even if all messages were sent before: the reply promises the durability that was
  // asked for, also of the first ones.
  submitted.asked = options.durability.value_or(queue->options().durability);
  submitted.group = engine.pipeline.join(queue, submitted.asked);
  record_answer(submitted, submitted.asked);
  if (effect.sent && queue->bounds.drop_excess()) submitted.full = queue;
  engine.dispatcher.after_change(queue, time);
  return submitted;
}

// Makes room in the queue. What cannot leave now leaves with the next send, since this one has succeeded.
void shorten(Engine::Impl& engine, const std::shared_ptr<Queue>& queue) {
  if (const auto group = engine.room_maker.make_room({queue})) (void)engine.pipeline.wait(*group);
}

// Says in the results how durable the group has become, which is committed.
void set_durability(Submitted& submitted, const CommitPipeline& pipeline) {
  const Durability durability = durability_kept(pipeline, *submitted.group, submitted.asked);
  for (Result<Sent>& result : submitted.results) {
    if (result) result->durability = durability;
  }
}

}  // namespace

MessageId apply_send(Engine::Impl& engine, Queue& queue, const SendLookup& lookup, std::size_t i,
                     const Message& message, Timestamp time) {
  const MessageId id = engine.ids->next_message(time);
  queue.send(id, time, message);
  if (queue.served > 0) engine.retention.expect_unresolved(queue, time);  // the message is a dead letter
  lookup.remember(queue, i, {id, time}, engine.pipeline);
  return id;
}

BatchResult<Sent> EngineMessageVerbs::send_batch(std::string_view queue, std::vector<Message> messages,
                                                 SendOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  const auto request = impl_->requests.take(options.request_id);
  if (!request) return tl::unexpected(request.error());
  auto submitted = submit(*impl_, queue, messages, options, *request);
  if (!submitted) return tl::unexpected(submitted.error());
  if (!submitted->group) return std::move(submitted->results);
  if (auto ok = impl_->pipeline.wait(*submitted->group); !ok) return tl::unexpected(ok.error());
  if (submitted->refused) return tl::unexpected(*submitted->refused);
  set_durability(*submitted, impl_->pipeline);
  if (submitted->full) shorten(*impl_, submitted->full);
  return std::move(submitted->results);
}

Result<Sent> EngineMessageVerbs::send(std::string_view queue, Message message, SendOptions options) {
  std::vector<Message> messages;
  messages.push_back(std::move(message));
  return only_answer(send_batch(queue, std::move(messages), std::move(options)));
}

namespace {

void start_send(Engine::Impl& engine, std::string_view queue, std::span<const Message> messages,
                const SendOptions& options, const Result<HeldRequest>& request, BatchCallback<Sent> done) {
  if (!request) return done(tl::unexpected(request.error()));
  const auto call = engine.calls.begin();
  if (!call) return done(tl::unexpected(call.error()));
  auto submitted = submit(engine, queue, messages, options, *request);
  if (!submitted) return done(tl::unexpected(submitted.error()));
  if (!submitted->group) return done(std::move(submitted->results));
  const auto state = std::make_shared<Submitted>(*std::move(submitted));
  const auto answer = [&engine, state, done = std::move(done)](const Result<void>& committed) {
    state->request = {};
    state->space = {};
    if (!committed) return done(tl::unexpected(committed.error()));
    if (state->refused) return done(tl::unexpected(*state->refused));
    set_durability(*state, engine.pipeline);
    done(std::move(state->results));
  };
  if (!state->full) return engine.pipeline.on_commit(*state->group, answer);
  // The answer comes after what made room has left, but whether that could be written does not change it.
  engine.room_maker.start_making_room({state->full}, [&engine, state,
                                                      answer](std::optional<GroupNumber> last) {
    engine.pipeline.on_commit(last.value_or(*state->group), [&engine, state, answer](const Result<void>&) {
      engine.pipeline.on_commit(*state->group, answer);
    });
  });
}

}  // namespace

void Engine::async_send_batch(std::string_view queue, std::vector<Message> messages, SendOptions options,
                              BatchCallback<Sent> done) {
  const auto found = impl_->catalog.find(queue);
  const bool may_block =
      found && ((*found)->deduplication.load(std::memory_order_relaxed) != Deduplication::kNone ||
                (*found)->drops_heads.load(std::memory_order_relaxed));
  if (!may_block && options.request_id.empty()) {
    return start_send(*impl_, queue, messages, options, HeldRequest(), std::move(done));
  }
  // The call may look on disk for an earlier answer or an earlier message, and may read other messages to
  // dead-letter them.
  const std::string id = options.request_id;
  start_request(*impl_, id, may_block,
                [impl = impl_.get(), name = std::string(queue), messages = std::move(messages),
                 options = std::move(options), done = std::move(done)](const Result<HeldRequest>& request) {
                  start_send(*impl, name, messages, options, request, done);
                });
}

}  // namespace holdfast
