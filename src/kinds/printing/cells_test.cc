#include "kinds/printing/cells.h"

#include <gtest/gtest.h>

#include "json/value.h"

namespace proa::kinds {
namespace cells_test {

using namespace std::chrono_literals;

TEST(HumanDuration, SaysItInTwoPartsAtMost) {
  const struct {
    Duration duration;
    const char* text;
  } kCases[] = {
      {-3s, "<invalid>"},
      {-2s, "<invalid>"},
      {-1900ms, "0s"},
      {-1s, "0s"},
      {0s, "0s"},
      {999ms, "0s"},
      {119s, "119s"},
      {120s, "2m"},
      {121s, "2m1s"},
      {599s, "9m59s"},
      {600s, "10m"},
      {179min, "179m"},
      {180min, "3h"},
      {181min, "3h1m"},
      {479min, "7h59m"},
      {8h, "8h"},
      {47h + 59min, "47h"},
      {48h, "2d"},
      {49h, "2d1h"},
      {191h, "7d23h"},
      {192h, "8d"},
      {24h * 729, "729d"},
      {24h * 730, "2y"},
      {24h * 731, "2y1d"},
      {24h * 2919, "7y364d"},
      {24h * 365 * 8, "8y"},
      {24h * 365 * 30, "30y"},
  };
  for (const auto& c : kCases) EXPECT_EQ(human_duration(c.duration), c.text);
}

class OneCell : public Cells {
 public:
  void text(std::string_view text) override { cell = text; }
  void number(int64_t) override {}
  void flag(bool) override {}
  Time now() const override { return *parse_time("2026-01-02T00:00:00Z"); }

  std::string cell;
};

TEST(Age, IsCountedFromTheTimestamp) {
  const struct {
    const char* timestamp;
    const char* text;
  } kCases[] = {
      {"2026-01-01T23:59:00Z", "60s"},
      {"2026-01-01T20:00:00.500000Z", "3h59m"},
      {"2026-01-02T00:00:05Z", "<invalid>"},
      {"0001-01-01T00:00:00Z", "<unknown>"},
      {"1000-01-01T00:00:00Z", "292y"},
      {"9999-01-01T00:00:00Z", "<invalid>"},
      {"", "<unknown>"},
      {"yesterday", "<unknown>"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.timestamp);
    OneCell cells;
    cells.age(json::Value::borrowed(c.timestamp));
    EXPECT_EQ(cells.cell, c.text);
  }
  OneCell cells;
  cells.age(api::View());
  EXPECT_EQ(cells.cell, "<unknown>");
}

}  // namespace cells_test
}  // namespace proa::kinds
