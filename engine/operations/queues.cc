// These verbs work on queues. Changes of the catalog are made one at a time, under catalog_mutex.
#include <algorithm>

#include "engine/base/options/queue_option_table.h"
#include "engine/base/options/validate_queue_options.h"
#include "engine/base/validation/validate.h"
#include "engine/context/deletion.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/alert_teller.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/engine/engine_impl.h"
#include "engine/engine/engine_inside.h"
#include "engine/operations/dead_letter_routing.h"
#include "engine/redrive/lost_canaries.h"

namespace holdfast {
namespace {

// Checks that a parking queue is another queue, and has no redrives by itself, since parking queues are for
// people.
Result<void> check_parking(const EngineContext& engine, std::string_view name, const QueueOptions& options)
    HOLDFAST_REQUIRES(engine.catalog_mutex) {
  const bool automatic = options.dead_letters.auto_redrive.every != Duration{0};
  for (const auto& other : engine.catalog.all()) {
    if (automatic && other->options_in_catalog(engine.catalog_mutex).dead_letters.parking_queue == name) {
      return fail(ErrorCode::kInvalidArgument,
                  "auto_redrive: queue '" + other->name +
                      "' parks here, and nothing leaves a parking queue by itself");
    }
    if (options.dead_letters.parking_queue == other->name &&
        other->options_in_catalog(engine.catalog_mutex).dead_letters.auto_redrive.every != Duration{0}) {
      return fail(ErrorCode::kInvalidArgument, "parking_queue: '" + other->name + "' has auto_redrive");
    }
  }
  if (options.dead_letters.parking_queue.empty()) return {};
  if (options.dead_letters.parking_queue == name ||
      options.dead_letters.parking_queue == options.dead_letters.queue) {
    return fail(ErrorCode::kInvalidArgument,
                "parking_queue must be another queue than the queue itself and its dead letter queue");
  }
  return {};
}

// Each level has groups of its own, so a group in two of them would have two holders.
Result<void> check_grouping(const Queue& queue, const QueueOptions& options) HOLDFAST_REQUIRES(queue.mutex) {
  if (options.grouping.mode == Grouping::kNone) return {};
  const std::uint64_t left = queue.state.unsettled_above();
  if (left == 0) return {};
  return fail(ErrorCode::kInvalidArgument,
              "grouping: queue '" + queue.name + "' still has " + std::to_string(left) +
                  " messages of higher levels of priority, which are to be settled before");
}

// Returns whether the queue may have these options, as far as other queues are concerned.
Result<void> check_relations(const EngineContext& engine, const std::string& name,
                             const QueueOptions& options, MissingQueues missing)
    HOLDFAST_REQUIRES(engine.catalog_mutex) {
  if (auto ok = check_parking(engine, name, options); !ok) return ok;
  if (auto ok = check_routing(engine, name, options); !ok) return ok;
  return missing == MissingQueues::kCreate ? Result<void>()
                                           : check_targets_exist(engine.catalog, name, options);
}

// Returns the queue and the queues that are its targets, or become so. A send to a target looks several times
// at how many queues the target serves, so that number changes only under its lock.
std::vector<Queue*> concerned(const EngineContext& engine, Queue& queue, const DeadLetterTargets& targets)
    HOLDFAST_REQUIRES(engine.catalog_mutex) {
  std::vector<Queue*> queues{&queue};
  queue.targets_in_catalog(engine.catalog_mutex).add_to(queues);
  targets.add_to(queues);
  return queues;
}

// A Declaration has the queues that come to be, and their rows, in one commit. The catalog's mutex is held
// while it is used.
class Declaration {
 public:
  explicit Declaration(Engine::Impl& engine) : engine_(engine) {}

  // Returns the queue of that name, which it creates with default options if it is missing.
  std::shared_ptr<Queue> find_or_create(const std::string& name) {
    if (name.empty()) return nullptr;
    if (auto found = engine_.catalog.find(name)) return *found;
    const auto created = std::ranges::find(created_, name, [](const auto& queue) { return queue->name; });
    return created == created_.end() ? create(name) : *created;
  }

  DeadLetterTargets targets(const QueueOptions& options) {
    DeadLetterTargets targets{.fallback = find_or_create(options.dead_letters.queue),
                              .routes = {},
                              .parking = find_or_create(options.dead_letters.parking_queue)};
    for (const auto& route : options.dead_letters.routes)
      targets.routes.push_back(find_or_create(route.queue));
    return targets;
  }

  std::shared_ptr<Queue> create(const std::string& name) {
    engine_.catalog_mutex.assert_held();
    const QueueId id{engine_.allocation.next_queue_id++};
    auto queue = std::make_shared<Queue>(id, QueueDefinition{name, engine_.now(), {}}, QueueState{},
                                         engine_.cache, engine_.pipeline, engine_.catalog);
    created_.push_back(queue);
    return queue;
  }

  Result<void> commit(const std::shared_ptr<Queue>& queue, const QueueOptions& options,
                      const DeadLetterTargets& targets) {
    engine_.catalog_mutex.assert_held();
    GroupNumber group{};
    {
      const LockedQueues locked(engine_.pipeline.gate(), concerned(engine_, *queue, targets));
      queue->mutex.assert_held();
      if (auto ok = check_grouping(*queue, options); !ok) return ok;
      put_row(queue, options);
      engine_.pipeline.join(queue, Durability::kFsync);
      for (const auto& other : created_) {
        other->mutex.assert_held();  // it is `queue` or one of `targets`
        if (other != queue) put_row(other, other->options());
        engine_.pipeline.join(other, Durability::kFsync);
      }
      group = engine_.pipeline.join_row(Family::kCatalog, std::string(keys::kAllocationRow),
                                        encode_allocation_row(engine_.allocation), Durability::kFsync);
      const bool new_policy = queue->options().dead_letters.auto_redrive != options.dead_letters.auto_redrive;
      queue->configure(options, targets, engine_.catalog_mutex);
      if (new_policy) set_auto_redrive(*queue);
      engine_.alert_teller.end_brake(queue, engine_.now());
      engine_.dispatcher.after_change(queue, engine_.now());
    }
    if (auto ok = engine_.pipeline.wait(group); !ok) return ok;
    for (const auto& created : created_) engine_.catalog.add(created);
    return {};
  }

 private:
  void set_auto_redrive(Queue& queue) HOLDFAST_REQUIRES(queue.mutex) {
    const Duration every = queue.options().dead_letters.auto_redrive.every;
    queue.auto_redrive_at = every == Duration{0} ? Timestamp::max() : engine_.now() + every;
  }

  void put_row(const std::shared_ptr<Queue>& queue, const QueueOptions& options)
      HOLDFAST_REQUIRES(queue->mutex) HOLDFAST_REQUIRES_SHARED(engine_.pipeline.gate()) {
    engine_.pipeline.join_row(
        Family::kCatalog, keys::queue_definition(queue->id),
        encode_queue_definition({queue->name, queue->created_at, options, queue->paused}),
        Durability::kFsync);
  }

  Engine::Impl& engine_;
  std::vector<std::shared_ptr<Queue>> created_;
};

// The queue goes. Each alert that was reported is reported as cleared.
void clear_alerts(Engine::Impl& engine, Queue& queue) HOLDFAST_REQUIRES(queue.mutex)
    HOLDFAST_REQUIRES_SHARED(inside_gate) {
  const Timestamp time = engine.now();
  std::vector<AlertChange> cleared = queue.alerts.clear(time);
  if (queue.brake.clear({}, time)) cleared.push_back({flood_alert(queue.options().brake, 0, time), false});
  engine.alert_teller.tell(queue, cleared, time);
}

}  // namespace

Result<QueueDeclared> EngineQueueVerbs::create_queue(std::string_view name, QueueOptions options,
                                                     MissingQueues missing) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_queue_name(name); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());

  const sync::Lock catalog_lock(impl_->catalog_mutex);
  if (const auto existing = impl_->catalog.find(name)) {
    const std::string others =
        names_of_different((*existing)->options_in_catalog(impl_->catalog_mutex), options);
    if (others.empty()) return QueueDeclared{false, trap_warnings(options)};
    return fail(ErrorCode::kQueueExists,
                "queue '" + std::string(name) + "' exists with other options: " + others + "; alter it");
  }
  if (auto ok = check_relations(*impl_, std::string(name), options, missing); !ok)
    return tl::unexpected(ok.error());
  Declaration declaration(*impl_);
  const DeadLetterTargets targets = declaration.targets(options);
  const auto queue = declaration.create(std::string(name));
  if (auto ok = declaration.commit(queue, options, targets); !ok) return tl::unexpected(ok.error());
  return QueueDeclared{true, trap_warnings(options)};
}

Result<QueueDeclared> EngineQueueVerbs::alter_queue(std::string_view name, QueueChanges changes,
                                                    MissingQueues missing) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());

  const sync::Lock catalog_lock(impl_->catalog_mutex);
  auto queue = impl_->catalog.find(name);
  if (!queue) return tl::unexpected(queue.error());
  const QueueOptions options = changed((*queue)->options_in_catalog(impl_->catalog_mutex), changes);
  if (auto ok = validate(options); !ok) return tl::unexpected(ok.error());
  if (auto ok = check_relations(*impl_, (*queue)->name, options, missing); !ok)
    return tl::unexpected(ok.error());
  Declaration declaration(*impl_);
  const DeadLetterTargets targets = declaration.targets(options);
  if (auto ok = declaration.commit(*queue, options, targets); !ok) return tl::unexpected(ok.error());
  impl_->retention.plan(*queue);
  return QueueDeclared{false, trap_warnings(options)};
}

Result<void> EngineQueueVerbs::delete_queue(std::string_view name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());

  const sync::Lock catalog_lock(impl_->catalog_mutex);
  auto queue = impl_->catalog.find(name);
  if (!queue) return tl::unexpected(queue.error());
  for (const auto& other : impl_->catalog.all()) {
    if (other->targets_in_catalog(impl_->catalog_mutex).parking == *queue) {
      return fail(ErrorCode::kQueueInUse,
                  "queue '" + std::string(name) + "' is the parking queue of '" + other->name + "'");
    }
    if (other->targets_in_catalog(impl_->catalog_mutex).contains(**queue)) {
      return fail(ErrorCode::kQueueInUse,
                  "queue '" + std::string(name) + "' is the dead letter queue of '" + other->name + "'");
    }
  }
  LostCanaries lost(*impl_, (*queue)->id);
  GroupNumber group{};
  {
    const LockedQueues locked(impl_->pipeline.gate(), concerned(*impl_, **queue, {}));
    (*queue)->mutex.assert_held();
    group = impl_->pipeline.join(*queue, Durability::kFsync);
    (*queue)->erase(group, impl_->catalog_mutex);
    clear_alerts(*impl_, **queue);
    lost.join(impl_->pipeline);
    Dispatcher::end_waits(**queue, Timestamp::max());
    impl_->scheduler.forget(*queue);
  }
  if (auto ok = impl_->pipeline.wait(group); !ok) return ok;
  impl_->catalog.remove(**queue);
  lost.committed();
  impl_->reclaimer.consider_all((*queue)->id);
  return {};
}

Result<std::uint64_t> EngineQueueVerbs::purge_queue(std::string_view name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  auto queue = impl_->catalog.find(name);
  if (!queue) return tl::unexpected(queue.error());
  LostCanaries lost(*impl_, (*queue)->id);
  std::uint64_t purged = 0;
  GroupNumber group{};
  {
    LockedQueue locked(impl_->pipeline.gate(), **queue);
    if ((*queue)->deleted()) {
      locked.unlock();
      return tl::unexpected(after_deletion(impl_->pipeline, **queue));
    }
    (*queue)->journal.record(MessageId{}, {.at = impl_->now(), .kind = StepKind::kPurged});
    purged = (*queue)->purge();
    lost.join(impl_->pipeline);
    group = impl_->pipeline.join(*queue, Durability::kFsync);
    impl_->dispatcher.after_change(*queue, impl_->now());
  }
  if (auto ok = impl_->pipeline.wait(group); !ok) return tl::unexpected(ok.error());
  lost.committed();
  impl_->reclaimer.consider_all((*queue)->id);
  return purged;
}

Result<QueueInfo> EngineQueueVerbs::describe_queue(std::string_view name) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  auto queue = impl_->catalog.find(name);
  if (!queue) return tl::unexpected(queue.error());
  {
    const LockedQueue locked(impl_->pipeline.gate(), **queue);
    if (!(*queue)->deleted()) return (*queue)->info();
  }
  return tl::unexpected(after_deletion(impl_->pipeline, **queue));
}

std::optional<std::string> EngineInside::queue_name(const Engine& engine, QueueId id) {
  const auto call = engine.impl_->calls.begin();
  const auto queue = call ? engine.impl_->catalog.find(id) : nullptr;
  return queue ? std::optional(queue->name) : std::nullopt;
}

Result<std::vector<QueueInfo>> EngineQueueVerbs::list_queues() {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  std::vector<QueueInfo> infos;
  GroupNumber deletion{};
  for (const auto& queue : impl_->catalog.all()) {
    const LockedQueue locked(impl_->pipeline.gate(), *queue);
    if (!queue->deleted()) infos.push_back(queue->info());
    deletion = std::max(deletion, queue->deletion());
  }
  if (auto ok = impl_->pipeline.wait(deletion); !ok) return tl::unexpected(ok.error());
  return infos;
}

}  // namespace holdfast
