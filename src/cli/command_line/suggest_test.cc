#include "cli/command_line/suggest.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

constexpr std::string_view kCommands[] = {"version", "help", "completion", "store", "up"};

TEST(Nearest, FindsTheWordBehindASlip) {
  struct Case {
    std::string_view word;
    std::string_view meant;
  };
  for (const Case& c :
       {Case{"stroe", "store"}, Case{"vresion", "version"}, Case{"compl", "completion"},
        Case{"hepl", "help"}, Case{"u", "up"}, Case{"versions", "version"}}) {
    SCOPED_TRACE(c.word);
    EXPECT_EQ(nearest(c.word, kCommands), c.meant);
  }
}

TEST(Nearest, KeepsSilentWhenNothingIsNear) {
  for (const std::string_view word : {"deploy", "xyz", "", "get"}) {
    SCOPED_TRACE(word);
    EXPECT_EQ(nearest(word, kCommands), std::nullopt);
    EXPECT_EQ(suggestion(word, kCommands), "");
  }
}

TEST(Suggestion, IsAHalfSentence) {
  EXPECT_EQ(suggestion("stor", kCommands), "; did you mean 'store'?");
}

}  // namespace
}  // namespace proa::cli
