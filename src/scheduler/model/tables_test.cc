#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "scheduler/model/node_object.h"
#include "scheduler/model/pod_object.h"

namespace proa::scheduler::objects {
namespace {

// Those of whole objects and of parts that are decoded on their own: they lead to all the others.
const api::FieldTable& (*const kTables[])() = {
    Affinity::table,
    AwsDisk::table,
    ClaimVolume::table,
    GceDisk::table,
    ImageVolume::table,
    IscsiDisk::table,
    Node::table,
    Pod::table,
    RbdDisk::table,
    kinds::pods::Toleration::table,
    TopologySpreadConstraint::table,
};

TEST(SchedulerTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::scheduler::objects
