// Answers calls that change dead letters. Clients make bulk changes in parts, and each call here makes one
// part, so that none occupies a thread for long.
#include <array>

#include "engine/engine/engine_inside.h"
#include "schema/convert/dead_letters/dead_letter_changes_conversion.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"

namespace holdfast::server {
namespace {

using Changed = Result<BulkPartChanged>;

kj::Promise<void> change_dead_letters(
    Call<wire::ChangeDeadLettersRequest, wire::DeadLettersChangedReply> call) {
  auto asked = read_request(call);
  if (!asked) return answer_now<Changed>(call, tl::unexpected(asked.error()));
  auto work = [&engine = call->engine(), queue = std::string(asked->queue), part = std::move(asked->part),
               changes = std::move(asked->changes)] {
    return EngineInside::change_part(engine, queue, part, changes);
  };
  return answer_blocking<Changed>(call, std::move(work));
}

kj::Promise<void> discard_dead_letters(
    Call<wire::DiscardDeadLettersRequest, wire::DeadLettersChangedReply> call) {
  auto asked = read_request(call);
  if (!asked) return answer_now<Changed>(call, tl::unexpected(asked.error()));
  auto work = [&engine = call->engine(), queue = std::string(asked->queue), part = std::move(asked->part)] {
    return EngineInside::discard_part(engine, queue, part);
  };
  return answer_blocking<Changed>(call, std::move(work));
}

kj::Promise<void> import_dead_letters(
    Call<wire::ImportDeadLettersRequest, wire::ImportDeadLettersReply> call) {
  using R = Result<DeadLettersImported>;
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  if (auto ok = call->caller().check_import(asked->queue, asked->letters); !ok)
    return answer_now<R>(call, tl::unexpected(ok.error()));
  auto work = [&engine = call->engine(), queue = std::string(asked->queue),
               letters = std::move(asked->letters)] { return engine.import_dead_letters(queue, letters); };
  return answer_blocking<R>(call, std::move(work));
}

}  // namespace

std::span<const Method> triage_methods() {
  static const std::array methods = {
      method<change_dead_letters>("changeDeadLetters", {Need::kQueues, Right::kOperate, Content::kNone}),
      method<discard_dead_letters>("discardDeadLetters", {Need::kQueues, Right::kOperate, Content::kNone}),
      method<import_dead_letters>("importDeadLetters", {Need::kQueues, Right::kAdminister, Content::kNone}),
  };
  return methods;
}

}  // namespace holdfast::server
