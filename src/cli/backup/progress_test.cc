#include "cli/backup/progress.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::cli {
namespace {

using namespace std::chrono_literals;

class Captured final : public Terminal {
 public:
  void out(std::string_view text) override { text_ += text; }
  void error(std::string_view text) override { text_ += text; }
  std::string text_;
};

TEST(Progress, SpeaksOnlyOfWhatTakesLong) {
  testkit::FakeClock clock;
  Captured terminal;
  Progress progress(terminal, clock);
  progress.begin("reading", 8 << 20);
  progress.add(1 << 20);
  clock.advance(1s);
  progress.add(1 << 20);
  EXPECT_EQ(terminal.text_, "");
  clock.advance(1s);
  progress.add(1 << 20);
  progress.add(1 << 20);
  EXPECT_EQ(terminal.text_, "reading 3.0 MiB of 8.0 MiB\n");
  progress.begin("writing", 8 << 20);
  clock.advance(2s);
  progress.add(1 << 20);
  EXPECT_EQ(terminal.text_, "reading 3.0 MiB of 8.0 MiB\nwriting 1.0 MiB of 8.0 MiB\n");
}

}  // namespace
}  // namespace proa::cli
