#include "engine/engine/inside.h"
#include "schema/convert/dead_letters/dead_letter_changes.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {

using Changed = Result<BulkPartChanged>;

kj::Promise<void> BrokerService::changeDeadLetters(ChangeDeadLettersContext context) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<Changed>(*peer_, context, tl::unexpected(call.error()));
  std::string& who = call->part.selection.actor;
  who = actor(std::move(who));
  auto work = [&engine = state_.engine, queue = std::string(call->queue), part = std::move(call->part),
               changes = std::move(call->changes)] {
    return EngineInside::change_part(engine, queue, part, changes);
  };
  return answer_blocking<Changed>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::discardDeadLetters(DiscardDeadLettersContext context) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<Changed>(*peer_, context, tl::unexpected(call.error()));
  std::string& who = call->part.selection.actor;
  who = actor(std::move(who));
  auto work = [&engine = state_.engine, queue = std::string(call->queue), part = std::move(call->part)] {
    return EngineInside::discard_part(engine, queue, part);
  };
  return answer_blocking<Changed>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::importDeadLetters(ImportDeadLettersContext context) {
  using R = Result<DeadLettersImported>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  if (auto ok = check_import(call->queue, call->letters); !ok)
    return answer_now<R>(*peer_, context, tl::unexpected(ok.error()));
  auto work = [&engine = state_.engine, queue = std::string(call->queue),
               letters = std::move(call->letters)] { return engine.import_dead_letters(queue, letters); };
  return answer_blocking<R>(*peer_, context, std::move(work));
}

}  // namespace holdfast::server
