#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "dns/cluster/objects.h"

namespace proa::dns::objects {
namespace {

// Tables of whole objects; they reference all other tables.
const api::FieldTable& (*const kTables[])() = {Service::table, EndpointSlice::table};

TEST(DnsTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::dns::objects
