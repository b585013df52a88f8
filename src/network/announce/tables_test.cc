#include "network/announce/objects.h"

#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"

namespace proa::network::announced {
namespace {

// Those of whole objects: they lead to all the others.
const api::FieldTable& (*const kTables[])() = {EndpointSlice::table, Lease::table, Service::table};

TEST(AnnouncedTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::network::announced
