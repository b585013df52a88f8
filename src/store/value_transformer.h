#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::store {

// A value as it is on disk.
struct DiskValue {
  std::string_view bytes;
  bool transformed = false;  // what to_disk() made, rather than the value itself
};

// Gives values another form on disk than in memory: encryption at rest. The key decides which
// values. Thread-safe.
class ValueTransformer {
 public:
  virtual ~ValueTransformer() = default;

  // Whether values of this key can be written now. Asked before a commit is accepted: a Status
  // refuses that commit, and no other.
  virtual Result<void> writable(std::string_view key) const = 0;
  // Appends the form on disk to `out`; false: the value is written as it is. Does not block, and
  // succeeds if writable() did just before: a failure makes the store refuse all writes.
  virtual Result<bool> to_disk(std::string_view key, std::string_view value,
                               std::string& out) const = 0;
  // The value; nullopt: the bytes on disk are the value. Input is not trusted. May block.
  // kForbidden: the keys do not fit, or the bytes were changed. kServiceUnavailable: try again.
  virtual Result<std::optional<std::string>> from_disk(std::string_view key,
                                                       const DiskValue& stored) const = 0;
  // Whether to_disk() would now give it another form, or use another key.
  virtual bool is_stale(std::string_view key, const DiskValue& stored) const = 0;
};

}  // namespace proa::store
