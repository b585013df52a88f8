#pragma once

#include <memory>

#include "store/engine/engine.h"

namespace proa::store {

// A store that forgets everything when it goes: for tests and the simulation. The same engine as on
// disk, over a journal that keeps nothing.
std::unique_ptr<Engine> make_memory_store(Clock& clock, EngineOptions options = {});

}  // namespace proa::store
