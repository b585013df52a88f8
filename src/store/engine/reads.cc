#include "store/engine/reads.h"

#include <limits>

namespace proa::store {
namespace reads {

// Keys read per lock acquisition: some tens of microseconds, for which commits can wait.
constexpr size_t kChunk = 512;

Result<RangeResult> range_by(const EngineState& state, const RangeQuery& query, size_t chunk) {
  RangeResult result{.revision = query.revision};
  std::optional<Key> from = query.keys.from;
  while (from && !result.more) {
    ReaderLock lock(state.mutex);
    if (result.revision == Revision{}) result.revision = state.keyspace.revision();
    TRY(state.keyspace.readable(result.revision));
    const KeyRange rest{std::move(*from), query.keys.to};
    from = state.keyspace.scan(rest, result.revision, chunk, [&](const EntryPtr& entry) {
      if (query.limit != 0 && result.entries.size() == query.limit) {
        result.more = true;
        return false;
      }
      result.entries.push_back(entry);
      return true;
    });
  }
  return result;
}

}  // namespace reads

Result<EntryPtr> read_entry(const EngineState& state, std::string_view key, Revision at) {
  ReaderLock lock(state.mutex);
  if (at == Revision{}) return state.keyspace.find(key);
  TRY(state.keyspace.readable(at));
  return state.keyspace.find_at(key, at);
}

Result<RangeResult> read_range(const EngineState& state, const RangeQuery& query) {
  auto result = reads::range_by(state, query, reads::kChunk);
  // The current state is always readable: if compaction overtook us, read under one lock
  // acquisition.
  const bool overtaken = result.is(Reason::kExpired) && query.revision == Revision{};
  if (overtaken) return reads::range_by(state, query, std::numeric_limits<size_t>::max());
  return result;
}

Result<size_t> count_keys(const EngineState& state, const KeyRange& keys, Revision at) {
  size_t count = 0;
  std::optional<Key> from = keys.from;
  while (from) {
    ReaderLock lock(state.mutex);
    if (at == Revision{}) at = state.keyspace.revision();
    TRY(state.keyspace.readable(at));
    const KeyRange rest{std::move(*from), keys.to};
    from = state.keyspace.scan(rest, at, reads::kChunk, [&](const EntryPtr&) {
      ++count;
      return true;
    });
  }
  return count;
}

}  // namespace proa::store
