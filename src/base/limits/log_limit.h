#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/threads/mutex.h"

namespace proa {

// How often a component says that something happened which others can cause at will: they must not
// fill the log. `burst` lines pass at once, then one per `every`; the others are counted.
// Thread-safe.
//
//   if (const auto omitted = limit_.next()) kLog.warn("...", {..., {"omitted", *omitted}});
class LogLimit {
 public:
  // REQUIRES: `clock` outlives it; `burst` and `every` are positive.
  LogLimit(const Clock& clock, uint32_t burst, Duration every)
      : clock_(clock), burst_(burst), every_(every) {}

  // How many lines were omitted since the last one that passed; nullopt: omit this one, too.
  std::optional<uint64_t> next() EXCLUDES(mutex_);

 private:
  const Clock& clock_;
  const uint32_t burst_;
  const Duration every_;
  Mutex mutex_;
  // When all lines that passed are paid for, one per `every_`.
  std::optional<Steady> paid_ GUARDED_BY(mutex_);
  uint64_t omitted_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa
