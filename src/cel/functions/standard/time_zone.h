#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa::cel {

// A time zone of the IANA database: RFC 9636. Immutable.
class TimeZone {
 public:
  // Nullptr if the data are malformed. They are the system's, but nothing is taken for granted.
  static std::shared_ptr<const TimeZone> parse(std::string_view data);

  // Seconds east of UTC at a point in time.
  int64_t offset(int64_t seconds) const;

 private:
  friend class TimeZoneReader;
  struct Period {
    int64_t offset = 0;
    bool daylight = false;
  };
  struct Transition {
    int64_t seconds = 0;
    uint8_t period = 0;
  };
  const Period& first_period() const;

  std::vector<Period> periods_;  // one at least
  std::vector<Transition> transitions_;
  std::string rule_;  // of what comes behind the last transition: a TZ string of POSIX
};

// Seconds east of UTC by a TZ string of POSIX: "CET-1CEST,M3.5.0,M10.5.0/3". Nullopt if it is
// malformed.
std::optional<int64_t> posix_offset(std::string_view rule, int64_t seconds);

// The zone of that name, from the system's database. On failure null, and `error` in Go's words.
// Zones are kept, a bounded number of them; any thread may ask.
std::shared_ptr<const TimeZone> find_time_zone(std::string_view name, std::string& error);

}  // namespace proa::cel
