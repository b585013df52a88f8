#include "lab/plan/paths.h"

#include <gtest/gtest.h>

namespace proa::lab {
namespace {

TEST(LabChoice, NamesWhatIsNotTheDefault) {
  EXPECT_EQ(lab_choice(kAllLabs, kDefaultLab), "");
  EXPECT_EQ(lab_choice(kAllLabs, "x"), " --name x");
  EXPECT_EQ(lab_choice("/tmp/labs", kDefaultLab), " --lab-dir /tmp/labs");
  EXPECT_EQ(lab_choice("/tmp/my labs", "x"), " --name x --lab-dir '/tmp/my labs'");
  EXPECT_EQ(lab_choice("/tmp/it's", "x"), " --name x --lab-dir '/tmp/it'\\''s'");
}

}  // namespace
}  // namespace proa::lab
