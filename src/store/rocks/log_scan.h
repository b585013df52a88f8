#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/rocks/directory.h"

namespace proa::store {

// Looks at a log file of RocksDB (the write-ahead log, the manifest) before RocksDB does. RocksDB
// takes some kinds of damage for the end of the log and goes on without what follows: with this
// look first, a write that was cut off by a crash is told from damage that would cost acknowledged
// writes.

struct LogRecord {
  uint64_t offset = 0;
  std::string payload;
};

struct LogScan {
  uint64_t size = 0;      // of the file
  uint64_t good_end = 0;  // behind the last whole record
  // Only when something stands behind good_end:
  std::string problem;  // what is wrong there, first of all
  bool looks_torn =
      false;  // as a write leaves it that never finished: cut off, or with sectors missing
  bool bad() const { return !problem.empty(); }
};

// Calls `good` for the whole records from the beginning up to the first that is bad, then `later`
// for whole records that stand behind it. All bytes are taken as hostile.
LogScan scan_log(std::string_view file, const std::function<void(const LogRecord&)>& good,
                 const std::function<void(const LogRecord&)>& later);

// Settles the write-ahead logs and the manifest of a database: refuses damage and missing files
// (kInvalid), and cuts a tail that was never acknowledged off when `repair_tails` is set.
// REQUIRES: nobody has the database open.
Result<void> settle_logs(const std::string& database, const DirectoryLabel& label,
                         bool repair_tails);

}  // namespace proa::store
