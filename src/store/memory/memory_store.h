#pragma once

#include <memory>

#include "store/engine/engine.h"

namespace proa::store {

// A store without persistence, for tests and the simulation: the same engine as on disk, over a
// journal that discards everything.
std::unique_ptr<Engine> make_memory_store(Clock& clock, EngineOptions options = {});

}  // namespace proa::store
