#include "engine/context/context.h"

#include <utility>

namespace holdfast {

EngineContext::EngineContext(std::unique_ptr<Store> store_to_own, EngineOptions engine_options)
    : store(std::move(store_to_own)),
      options(std::move(engine_options)),
      clock(*options.clock),
      space(*store, options.free_space_reserve),
      cache(options.message_cache_bytes),
      pipeline(*store),
      chunk_loader(*store, pipeline, cache),
      reclaimer(*store, options.background),
      events(pipeline),
      requests(*store, pipeline),
      catalog(clock),
      archiving(options.archive, options.archive_directory) {}

}  // namespace holdfast
