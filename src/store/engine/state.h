#pragma once

#include "base/threads/shared_mutex.h"
#include "store/mvcc/keyspace.h"

namespace proa::store {

// The state that commits change and readers read. Readers hold the lock for a few hundred keys at a
// time; versions keep their reads consistent in between.
struct EngineState {
  mutable SharedMutex mutex;
  Keyspace keyspace GUARDED_BY(mutex);
};

}  // namespace proa::store
