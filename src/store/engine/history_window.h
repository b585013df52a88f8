#pragma once

#include <deque>
#include <utility>

#include "store/mvcc/keyspace.h"

namespace proa::store {

// Changes are compacted that are older than this, beyond this number, or beyond this many bytes of
// superseded values.
struct HistoryLimits {
  Duration age;
  size_t changes;
  size_t bytes;
};

// Decides which part of a history is to be dropped; remembers when each revision was the current
// one.
class HistoryWindow {
 public:
  explicit HistoryWindow(const HistoryLimits& limits) : limits_(limits) {}

  void note(Steady now, Revision current) { ages_.emplace_back(now, current); }
  // The revision up to which the history is too old or too long; also notes the age of the current
  // one. It is remembered, since compaction gets there in several rounds.
  Revision outdated(const Keyspace& keyspace, Steady now);
  // Whether something will be outdated later, without further changes.
  bool is_aging(const Keyspace& keyspace) const;
  // How often old history is looked for.
  Duration interval(const Keyspace& keyspace) const;
  // Whether few changes were made within the history's age.
  static bool is_quiet(const Keyspace& keyspace);

 private:
  const HistoryLimits limits_;
  std::deque<std::pair<Steady, Revision>> ages_;
  Revision outdated_;
};

}  // namespace proa::store
