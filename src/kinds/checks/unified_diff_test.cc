#include "kinds/checks/unified_diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "testkit/golden.h"

namespace proa::kinds {
namespace {

TEST(UnifiedDiff, IsThatOfDifflib) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/unified_diff.txt",
                      [](std::string_view command) {
                        const auto texts = split_once(command, '\n');
                        std::string before(texts->before);
                        std::string after(texts->after);
                        std::ranges::replace(before, ' ', '\n');
                        std::ranges::replace(after, ' ', '\n');
                        return unified_diff(before, after);
                      });
}

TEST(UnifiedDiff, IsEmptyForEqualTexts) { EXPECT_EQ(unified_diff("a\nb", "a\nb"), ""); }

TEST(UnifiedDiff, DoesNotCompareEnormousTexts) {
  const std::string many(2 * kMaxDiffLines, '\n');
  EXPECT_EQ(unified_diff(many, "a"), "(too long to be shown)\n");
}

TEST(UnifiedDiff, GivesUpOnTextsThatMatchInTooManyPlaces) {
  // Every second line is the same, and the others are found in many places.
  std::string before;
  std::string after;
  for (size_t i = 0; i < kMaxDiffLines / 2 - 1; ++i) {
    const std::string number = std::to_string(i);
    const std::string common = "c" + std::to_string(i % 60);
    before.append("a").append(number).append("\n").append(common).append("\n");
    after.append("b").append(number).append("\n").append(common).append("\n");
  }
  EXPECT_EQ(unified_diff(before, after), "(too long to be shown)\n");
}

}  // namespace
}  // namespace proa::kinds
