#include "kinds/batch/schedule.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/strings.h"
#include "testkit/golden.h"

namespace proa::kinds {
namespace {

// Commands are lines of:
//   parse SCHEDULE               "ok" or the error
//   next ZONE TIME SCHEDULE      the next four times, in the zone and in UTC
std::string run(std::string_view command) {
  std::string out;
  for (const std::string_view line : split(command, '\n')) {
    const auto verb = split_once(line, ' ');
    CHECK(verb.has_value());
    if (verb->before == "parse") {
      const auto parsed = Schedule::parse(verb->after);
      out += (parsed.ok() ? "ok" : parsed.status().message()) + "\n";
      continue;
    }
    const auto zone_name = split_once(verb->after, ' ');
    const auto time = split_once(zone_name->after, ' ');
    SystemFiles files;
    const auto zone = TimeZone::load(zone_name->before, files);
    const auto schedule = Schedule::parse(time->after);
    auto at = parse_time(time->before);
    CHECK(zone.ok() && schedule.ok() && at.ok());
    for (int i = 0; i < 4; ++i) {
      const auto next = schedule->next(*at, *zone);
      if (!next) {
        out += "never\n";
        break;
      }
      const LocalTime local = zone->local(
          std::chrono::duration_cast<std::chrono::seconds>(next->time_since_epoch()).count());
      constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
      char shown[64];
      std::snprintf(shown, sizeof shown, "%s %04d-%02d-%02d %02d:%02d  ", kDays[local.weekday()],
                    int(local.year), int(local.month), int(local.day), int(local.hour),
                    int(local.minute));
      out += shown + format_time(*next) + "\n";
      at = *next;
    }
  }
  return out;
}

TEST(Schedule, IsAsTheScriptSays) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/schedule.txt", run);
}

TEST(TimeZone, RefusesFilesThatEndTooEarly) {
  SystemFiles files;
  const auto content = files.read_file("/usr/share/zoneinfo/Europe/Madrid", 1 << 20);
  ASSERT_TRUE(content.ok());
  ASSERT_TRUE(TimeZone::parse(*content).ok());
  // A file without a rule after the table is valid.
  const size_t table_end = content->rfind('\n', content->size() - 2);
  for (size_t size = 0; size < content->size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_EQ(TimeZone::parse(std::string_view(*content).substr(0, size)).ok(), size >= table_end);
  }
}

TEST(Schedule, NextIsAlwaysLater) {
  const auto schedule = Schedule::parse("*/7 */3 * * *");
  ASSERT_TRUE(schedule.ok());
  SystemFiles files;
  for (const std::string_view name : {"UTC", "America/Sao_Paulo", "Asia/Beirut", "Asia/Kathmandu",
                                      "Australia/Lord_Howe", "Pacific/Apia"}) {
    SCOPED_TRACE(name);
    const auto zone = TimeZone::load(name, files);
    ASSERT_TRUE(zone.ok());
    Time at{std::chrono::seconds(1'500'000'000)};
    for (int i = 0; i < 20'000; ++i) {
      const auto next = schedule->next(at, *zone);
      ASSERT_TRUE(next.has_value());
      ASSERT_GT(*next, at);
      at = *next;
    }
  }
}

}  // namespace
}  // namespace proa::kinds
