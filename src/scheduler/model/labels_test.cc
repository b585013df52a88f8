#include "scheduler/model/labels.h"

#include <gtest/gtest.h>

namespace proa::scheduler {
namespace {

TEST(Labels, OutliveWhatTheyCameFrom) {
  Labels labels;
  {
    const std::string key = "app", value = "a value that is too long for a short string";
    const std::vector<api::LabelPair> pairs = {{key, value}, {"tier", "back"}};
    Labels made(pairs);
    labels = std::move(made);
  }
  ASSERT_EQ(labels.all().size(), 2u);
  EXPECT_EQ(*labels.find("app"), "a value that is too long for a short string");
  EXPECT_EQ(*labels.find("tier"), "back");
  EXPECT_EQ(labels.find("zone"), nullptr);
}

}  // namespace
}  // namespace proa::scheduler
