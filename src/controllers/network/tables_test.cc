#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "controllers/network/objects.h"

namespace proa::controllers::network {
namespace {

// Those of whole objects: they lead to all the others.
const api::FieldTable& (*const kTables[])() = {BackendPod::table, HostPortPod::table,
                                               ServerSlice::table, Service::table};

TEST(NetworkTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::controllers::network
