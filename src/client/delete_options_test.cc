#include "client/delete_options.h"

#include <gtest/gtest.h>

namespace proa::client {
namespace {

TEST(DeleteOptionsJson, SaysOnlyWhatWasChosen) {
  EXPECT_EQ(delete_options_json({}), "");
  EXPECT_EQ(delete_options_json({.grace_seconds = 0,
                                 .uid = "u",
                                 .resource_version = "5",
                                 .propagation = api::Propagation::kForeground,
                                 .dry_run = true}),
            R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
            R"("preconditions":{"uid":"u","resourceVersion":"5"},)"
            R"("propagationPolicy":"Foreground","dryRun":["All"]})");
}

}  // namespace
}  // namespace proa::client
