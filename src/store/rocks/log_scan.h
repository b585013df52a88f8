#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/rocks/directory.h"

namespace proa::store {

// Scans a log file of RocksDB (the write-ahead log, the manifest) before RocksDB opens it. RocksDB
// takes some kinds of damage for the end of the log and drops what follows. Scanning first tells a
// write that a crash cut off from damage that would lose acknowledged writes.

struct LogRecord {
  uint64_t offset = 0;
  std::string payload;
};

struct LogScan {
  uint64_t size = 0;      // of the file
  uint64_t good_end = 0;  // end of the last whole record
  // Set only if something follows good_end:
  std::string problem;  // the first problem there
  bool looks_torn =
      false;  // as a write leaves it that never finished: cut off, or with sectors missing
  bool bad() const { return !problem.empty(); }
};

// Calls `good` for whole records from the beginning up to the first bad one, then `later` for whole
// records after it. Input is not trusted.
LogScan scan_log(std::string_view file, const std::function<void(const LogRecord&)>& good,
                 const std::function<void(const LogRecord&)>& later);

enum class Tails : uint8_t { kKeep, kRepair };

// Checks the write-ahead logs and the manifest of a database: refuses damage and missing files
// (kInvalid), and truncates a tail that was never acknowledged unless it is to be kept. With
// kRepair, also drops the batches after RocksDB's sequence number `last_good`: writes that failed.
// REQUIRES: the database is not open.
Result<void> settle_logs(const std::string& database, const DirectoryLabel& label, Tails tails,
                         uint64_t last_good = UINT64_MAX);

}  // namespace proa::store
