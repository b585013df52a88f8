#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "policy/objects/objects.h"

namespace proa::policy::objects {
namespace {

// Tables of whole objects; they reference all other tables.
const api::FieldTable& (*const kTables[])() = {NetworkPolicy::table, Pod::table};

TEST(PolicyTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::policy::objects
