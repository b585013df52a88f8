#include <gtest/gtest.h>

#include "api/schema/builtin.h"
#include "api/typed/verify.h"
#include "network/model/node_facts.h"

namespace proa::network {
namespace {

// Tables of whole objects; they reference all other tables.
const api::FieldTable& (*const kTables[])() = {Node::table};

TEST(NetworkTables, AgreeWithTheSchema) {
  for (const auto table : kTables) {
    SCOPED_TRACE(table().types);
    EXPECT_EQ(api::verify(table(), api::builtin_schema()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace proa::network
