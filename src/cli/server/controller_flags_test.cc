#include "cli/server/controller_flags.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

using controllers::ControllerEntry;

constexpr ControllerEntry kAll[] = {
    {"job", "job-controller", nullptr},
    {"cronjob", "cronjob-controller", nullptr},
    {"namespace", "namespace-controller", nullptr},
};

std::string chosen(std::string_view wanted) {
  const auto entries = choose_controllers(kAll, wanted);
  if (!entries) return entries.status().message();
  std::string names;
  for (const ControllerEntry& entry : *entries) names += std::string(entry.name) + " ";
  return names;
}

TEST(ChooseControllers, TakesWhatIsNamed) {
  EXPECT_EQ(chosen("*"), "job cronjob namespace ");
  EXPECT_EQ(chosen("*, -job"), "cronjob namespace ");
  EXPECT_EQ(chosen("namespace,job"), "job namespace ");
  EXPECT_EQ(chosen("none"), "");
}

TEST(ChooseControllers, SaysWhatThereIsWhenOneIsUnknown) {
  EXPECT_EQ(chosen("*,-jobs"),
            "--controllers names -jobs, which is not one of: cronjob, job, namespace");
}

}  // namespace
}  // namespace proa::cli
