#include "cel/types/environment.h"

#include <gtest/gtest.h>

#include "cel/expression/compile.h"

namespace proa::cel {
namespace {

TEST(Environment, StructsHaveTheirFieldsOnly) {
  Environment environment = kubernetes_environment(36);
  const Environment::Field port[] = {{"number", "int"}, {"name", "string"}};
  ASSERT_TRUE(environment.add_struct("Port", port));
  const Environment::Field spec[] = {{"ports", "list(Port)"}, {"parent", "Spec"}};
  ASSERT_TRUE(environment.add_struct("Spec", spec));
  ASSERT_TRUE(environment.add_variable("self", "Spec"));
  EXPECT_EQ(compile("self.parent.ports.map(p, p.number)", environment).type, "list(int)");
  EXPECT_EQ(compile("self.?parent.ports", environment).type, "optional_type(list(Port))");
  EXPECT_EQ(compile("self.ports[0].port", environment).issues,
            "ERROR: <input>:1:14: undefined field 'port'\n | self.ports[0].port\n | "
            ".............^");
  EXPECT_NE(compile("self.ports[0].number + 'a'", environment).issues, "");
  EXPECT_FALSE(environment.add_struct("Port", port));
}

TEST(Environment, RefusesMalformedTypesAndTakenNames) {
  Environment environment = kubernetes_environment(36);
  EXPECT_TRUE(environment.add_variable("a", "list(int)"));
  EXPECT_FALSE(environment.add_variable("a", "int"));
  EXPECT_FALSE(environment.add_variable("b", "list("));
}

}  // namespace
}  // namespace proa::cel
