#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/entry.h"

// Looking at a store that nobody has open: what `proa store` prints.
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
  Revision compacted;  // history begins behind it
  Revision ceiling;    // revisions up to here may have been handed out
  size_t keys = 0;
  size_t history = 0;          // changes in the history window
  uint64_t history_bytes = 0;  // versions that only the history needs
  uint64_t live_bytes = 0;     // keys and values of the current versions
  uint64_t disk_bytes = 0;
  bool clean_shutdown = false;
  std::vector<PrefixSummary> prefixes;  // ordered by prefix
};

// Changes nothing. Refuses a directory that is in use, foreign or damaged.
Result<StoreSummary> inspect_store(const std::string& directory);

// Verifies every checksum, every record and what must hold between them; changes nothing. What is
// wrong, each with what to do about it; empty when all is well. A Status when there is nothing to
// check: the directory is missing, foreign or in use.
Result<std::vector<std::string>> check_store(const std::string& directory);

struct CompactionSummary {
  uint64_t bytes_before = 0;
  uint64_t bytes_after = 0;
  size_t history_dropped = 0;  // changes
};

// Drops the history up to now and gives the space back to the file system.
Result<CompactionSummary> compact_store(const std::string& directory);

}  // namespace proa::store
