#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/mvcc/keyspace.h"

namespace proa::store {

// Decides what a run of transactions does, each seeing what those before it did, without touching
// the state: the group commit writes the changes down first and applies them afterwards.
class Evaluator {
 public:
  struct Limits {
    size_t key_bytes = 4096;
    size_t value_bytes = 16u << 20;
    size_t operations = 4096;
  };

  // REQUIRES: `state` stays as it is for as long as this lives.
  Evaluator(const Keyspace& state, Time now, const Limits& limits)
      : state_(state), now_(now), limits_(limits), revision_(state.revision()) {}

  // What its caller is to be told; adds its changes, if any, to `changes`. A Status changes
  // nothing.
  Result<Committed> evaluate(const Txn& txn, std::vector<Event>& changes);
  // Of the last transaction that changed something.
  Revision revision() const { return revision_; }

 private:
  Result<void> validate(const Txn& txn) const;
  EntryPtr find(std::string_view key) const;
  EntryPtr decide(const Operation& operation, Revision revision, uint32_t index,
                  std::vector<Event>& changes);

  const Keyspace& state_;
  const Time now_;
  const Limits& limits_;
  Revision revision_;
  // What this run wrote, by key; the keys are views into the entries.
  std::unordered_map<std::string_view, EntryPtr> written_;
};

}  // namespace proa::store
