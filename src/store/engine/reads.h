#pragma once

#include <string_view>

#include "store/engine/state.h"

namespace proa::store {

// The reads of Store over a state.

Result<EntryPtr> read_entry(const EngineState& state, std::string_view key, Revision at);
Result<RangeResult> read_range(const EngineState& state, const RangeQuery& query);
Result<size_t> count_keys(const EngineState& state, const KeyRange& keys, Revision at);

}  // namespace proa::store
