#pragma once

#include "base/threads/shared_mutex.h"
#include "store/mvcc/keyspace.h"

namespace proa::store {

// What commits change and readers read. Readers hold the lock for a few hundred keys at a time:
// versions keep what they read consistent in between.
struct EngineState {
  mutable SharedMutex mutex;
  Keyspace keyspace GUARDED_BY(mutex);
};

}  // namespace proa::store
