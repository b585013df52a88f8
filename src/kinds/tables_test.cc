#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "kinds/core/services/balancer_node.h"
#include "kinds/core/services/balancer_status.h"
#include "kinds/discovery/endpoint_conditions.h"

namespace proa::kinds {
namespace {

// They lead to all the others.
const api::FieldTable& (*const kTables[])() = {BalancerNode::table, EndpointConditions::table,
                                               ServiceStatus::table};

TEST(KindsTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::kinds
