#include "scheduler/framework/verdict.h"

#include <gtest/gtest.h>

namespace proa::scheduler {
namespace {

TEST(ReasonBook, KeepsEachReasonOnce) {
  ReasonBook book;
  const Verdict first = book.say(Code::kUnschedulable, "Insufficient cpu");
  for (int i = 0; i < 1000; ++i) book.say(Code::kUnschedulable, "reason " + std::to_string(i));
  const Verdict again = book.say(Code::kUnresolvable, "Insufficient cpu");
  EXPECT_EQ(first.reasons, again.reasons);
  EXPECT_EQ(*first.reasons, Verdict::Reasons{"Insufficient cpu"}) << "it stays where it is";
  EXPECT_EQ(again.code, Code::kUnresolvable);
}

TEST(ReasonBook, TellsListsApart) {
  ReasonBook book;
  const Verdict one = book.say(Code::kUnschedulable, Verdict::Reasons{"a", "b"});
  const Verdict other = book.say(Code::kUnschedulable, Verdict::Reasons{"ab"});
  EXPECT_NE(one.reasons, other.reasons);
  EXPECT_EQ(*one.reasons, (Verdict::Reasons{"a", "b"}));
}

TEST(Verdict, IsAYesUnlessItSaysOtherwise) {
  EXPECT_TRUE(Verdict().ok());
  for (const Code code :
       {Code::kUnschedulable, Code::kUnresolvable, Code::kError, Code::kPending}) {
    EXPECT_FALSE(Verdict{.code = code}.ok());
  }
}

}  // namespace
}  // namespace proa::scheduler
