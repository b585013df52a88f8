#include "apiserver/access/admission/cluster/always_deny.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

TEST(AlwaysDeny, RefusesEveryChange) {
  PluginWorld world;
  const auto plugin = make_always_deny(world.context()).value();
  const std::string refusal =
      "pods \"web\" is forbidden: admission control is denying all modifications";
  for (const Operation operation :
       {Operation::kCreate, Operation::kUpdate, Operation::kDelete, Operation::kConnect}) {
    PluginCase change(operation, "", "pods");
    change.named("web").object("{metadata: {name: web}}");
    EXPECT_EQ(words(change.admit(*plugin)), refusal);
    EXPECT_EQ(words(change.validate(*plugin)), refusal);
  }
}

}  // namespace
}  // namespace proa::apiserver
