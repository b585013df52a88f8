#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/mvcc/keyspace.h"

namespace proa::store {

// Decides the effects of a sequence of transactions, each seeing those before it, without touching
// the state: the group commit first writes the changes and then applies them.
class Evaluator {
 public:
  struct Limits {
    size_t key_bytes = 4096;
    size_t value_bytes = 16u << 20;
    size_t operations = 4096;
  };

  // REQUIRES: `state` does not change during the lifetime.
  Evaluator(const Keyspace& state, Time now, const Limits& limits)
      : state_(state), now_(now), limits_(limits), revision_(state.revision()) {}

  // Returns the outcome for the caller; adds the changes, if any, to `changes`. A Status changes
  // nothing.
  Result<Committed> evaluate(const Txn& txn, std::vector<Event>& changes);
  // The revision of the last transaction that changed something.
  Revision revision() const { return revision_; }

 private:
  EntryPtr find(std::string_view key) const;
  EntryPtr decide(const Operation& operation, Revision revision, uint32_t index,
                  std::vector<Event>& changes);

  const Keyspace& state_;
  const Time now_;
  const Limits& limits_;
  Revision revision_;
  // Entries written so far, by key; the keys are views into the entries.
  std::unordered_map<std::string_view, EntryPtr> written_;
};

// Whether it can be carried out at all, whatever the state is.
Result<void> validate(const Txn& txn, const Evaluator::Limits& limits);

}  // namespace proa::store
