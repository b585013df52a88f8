#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "controllers/lifecycle/definitions/objects.h"

namespace proa::controllers::definitions {
namespace {

// Tables of whole objects; they reference all other tables.
const api::FieldTable& (*const kTables[])() = {DefinitionFacts::table};

TEST(DefinitionTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::controllers::definitions
