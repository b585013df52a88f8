#include "apiserver/access/admission/cluster/always_admit.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"

namespace proa::apiserver {
namespace {

TEST(AlwaysAdmit, ChangesAndRefusesNothing) {
  PluginWorld world;
  const auto plugin = make_always_admit(world.context()).value();
  for (const Operation operation :
       {Operation::kCreate, Operation::kUpdate, Operation::kDelete, Operation::kConnect}) {
    PluginCase change(operation, "", "pods");
    change.named("web").object("{metadata: {name: web}}");
    EXPECT_EQ(words(change.admit(*plugin)), "");
    EXPECT_EQ(words(change.validate(*plugin)), "");
    EXPECT_EQ(change.text(), R"({"metadata":{"name":"web"}})");
  }
}

}  // namespace
}  // namespace proa::apiserver
