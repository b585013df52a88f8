#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/entry.h"
#include "store/value_transformer.h"

// Inspection of a store that is not open: what `proa store` prints.
namespace proa::store {

struct PrefixSummary {
  std::string prefix;  // the first two segments of the path: "/registry/pods/"
  size_t keys = 0;
  uint64_t bytes = 0;  // keys and values
};

struct StoreSummary {
  int format = 0;
  std::string id;
  Revision revision;   // of the last commit
  Revision compacted;  // history begins after it
  Revision ceiling;    // revisions up to here may have been handed out
  size_t keys = 0;
  size_t history = 0;          // changes in the history window
  uint64_t history_bytes = 0;  // versions that only the history needs
  uint64_t live_bytes = 0;     // keys and values of the current versions
  uint64_t disk_bytes = 0;
  bool clean_shutdown = false;
  size_t sealed = 0;                    // current values that are transformed on disk: encrypted
  std::vector<PrefixSummary> prefixes;  // ordered by prefix
};

// Read-only. Refuses a directory that is in use, foreign or damaged.
Result<StoreSummary> inspect_store(const std::string& directory);

// Called for each current entry. Nullopt: nothing is wrong.
using EntryCheck = std::function<std::optional<std::string>(const Entry&)>;

struct StoreProblems {
  std::vector<std::string> damage;   // each with what to do
  std::vector<std::string> entries;  // what `check` found; looked for only if there is no damage
  size_t sealed = 0;                 // current values of which only the checksums were verified

  bool empty() const { return damage.empty() && entries.empty(); }
};

// Verifies every checksum, every record and the invariants between them, and calls `check`, if it
// is not null, for entries that are not sealed. `transformer` unseals; one that cannot is a Status.
// Read-only. A Status, too, if there is nothing to check: the directory is missing, foreign or in
// use.
Result<StoreProblems> check_store(const std::string& directory, const EntryCheck& check = nullptr,
                                  const ValueTransformer* transformer = nullptr);

struct CompactionSummary {
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
  size_t history_dropped = 0;  // changes
};

// Drops the history up to now and returns the space to the file system.
Result<CompactionSummary> compact_store(const std::string& directory);

}  // namespace proa::store
